import { type ResourceSlice, sliceCondition } from '../liqo/resource-slice.ts'
import { DENY_REASONS, GRANT_REASONS } from './judge-slice.ts'

export type Judgement = Readonly<{ result: 'granted' | 'denied'; reason: string }>

const KNOWN: ReadonlySet<string | undefined> = new Set([...GRANT_REASONS, ...DENY_REASONS])
/** Not a reason of ours: somebody else wrote it. */
const FOREIGN = 'Foreign'

/** What a change of a slice says about it that was not said before, if anything. */
export function judgementIn(slice: ResourceSlice, before?: ResourceSlice): Judgement | undefined {
  const said = sliceCondition(slice, 'Resources')
  const last = before && sliceCondition(before, 'Resources')
  if (!said || (last?.status === said.status && last.reason === said.reason)) return undefined
  const result = said.status === 'Accepted' ? 'granted' : 'denied'
  return { result, reason: KNOWN.has(said.reason) ? (said.reason ?? FOREIGN) : FOREIGN }
}
