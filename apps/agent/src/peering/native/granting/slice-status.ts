import { printResources } from '@bourse/domain/quantity'
import { LABEL } from '../liqo/liqo-kinds.ts'
import { type ResourceSlice, type SliceCondition, sliceCondition } from '../liqo/resource-slice.ts'
import { type Denial, GRANT_REASONS, type Grant } from './judge-slice.ts'

export type SliceStatus = NonNullable<ResourceSlice['status']>
type Labels = Readonly<Record<string, string>>

/** Reasons that only this agent writes: a grant with another reason is not ours. */
const OURS: ReadonlySet<string | undefined> = new Set(GRANT_REASONS)

export function isGranted(slice: ResourceSlice): boolean {
  return sliceCondition(slice, 'Resources')?.status === 'Accepted'
}

export function isGrantedByUs(slice: ResourceSlice): boolean {
  return isGranted(slice) && OURS.has(sliceCondition(slice, 'Resources')?.reason)
}

export function isDenied(slice: ResourceSlice): boolean {
  return sliceCondition(slice, 'Resources')?.status === 'Denied'
}

/** Liqo has signed the certificate of this slice. */
export function isAuthenticated(slice: ResourceSlice): boolean {
  return sliceCondition(slice, 'Authentication')?.status === 'Accepted'
}

/** Labels arrive on the virtual node: pods choose it by the reservation. */
export function grantedStatus(
  slice: ResourceSlice,
  { resources, reservation, reason, message }: Grant,
  { labels, now }: Readonly<{ labels: Labels; now: string }>,
): SliceStatus {
  return {
    ...slice.status,
    resources: printResources(resources),
    nodeLabels: { ...labels, [LABEL.reservation]: reservation.id },
    conditions: withResources(slice, { status: 'Accepted', reason, message }, now),
  }
}

export function deniedStatus(
  slice: ResourceSlice,
  { reason, message }: Denial,
  now: string,
): SliceStatus {
  const { resources: _, nodeLabels: __, ...rest } = slice.status ?? {}
  return { ...rest, conditions: withResources(slice, { status: 'Denied', reason, message }, now) }
}

type Said = Readonly<Pick<SliceCondition, 'status'> & { reason: string; message: string }>

function withResources(slice: ResourceSlice, said: Said, now: string): SliceCondition[] {
  const before = sliceCondition(slice, 'Resources')
  const since = before?.status === said.status ? before.lastTransitionTime : undefined
  const others = slice.status?.conditions?.filter(({ type }) => type !== 'Resources') ?? []
  return [...others, { type: 'Resources', ...said, lastTransitionTime: since ?? now }]
}
