import type { SharingField } from '@bourse/contract/kinds'
import {
  describeResources,
  parseResources,
  type Resources,
  type ResourcesKind,
} from '@bourse/domain/quantity'
import type { StatedCondition } from '../kubernetes/kinds.ts'
import { parseShare, type Share, type SharingLimits } from './sharing.ts'

export type SharingInForce = Readonly<{
  limits: SharingLimits
  /** As a condition of the Advertisement. */
  condition: StatedCondition
}>

type Read<T> = Readonly<{ value: T } | { problems: readonly string[] }>

/**
 * What `spec.sharing` of the Advertisement makes of the limits that the flags set: each of its two
 * parts that is given wins. Invalid values are not guessed at: nothing new is
 * lent until they are corrected, also after a restart; what is held stays.
 */
export function sharingInForce(
  written: SharingField | undefined,
  flags: SharingLimits,
): SharingInForce {
  const share = written ? shareOf(written, flags.share) : { value: flags.share }
  const keepBack = written?.keepBack
    ? amountsIn(written.keepBack, 'keepBack', 'allocated')
    : { value: flags.keepBack }
  if ('value' in share && 'value' in keepBack) {
    const limits = { share: share.value, keepBack: keepBack.value }
    return { limits, condition: inWords(limits, written ? 'AsWritten' : 'ByFlags') }
  }
  const problems = [share, keepBack].flatMap((read) => ('problems' in read ? read.problems : []))
  const message = `${problems.join('. ')}. Nothing new is lent until that is corrected.`
  return {
    limits: { share: { kind: 'nothing' }, keepBack: {} },
    condition: { type: 'Sharing', status: 'False', reason: 'NotUnderstood', message },
  }
}

function shareOf({ share, amounts }: SharingField, byFlag: Share): Read<Share> {
  if (share !== undefined && amounts !== undefined)
    return { problems: ['spec.sharing: give share or amounts, not both'] }
  if (amounts !== undefined) {
    const read = amountsIn(amounts, 'amounts', 'supply')
    return 'value' in read ? { value: { kind: 'amount', amount: read.value } } : read
  }
  if (share === undefined) return { value: byFlag }
  const value = parseShare(share)
  return value
    ? { value }
    : {
        problems: [
          `spec.sharing.share: ${JSON.stringify(share)} is not valid: use all, none, or a percentage such as 50%`,
        ],
      }
}

function amountsIn(
  written: NonNullable<SharingField['amounts']>,
  field: 'amounts' | 'keepBack',
  kind: ResourcesKind,
): Read<Resources> {
  const parsed = parseResources(written, kind)
  if (parsed.kind === 'ok') return { value: parsed.resources }
  const path = (name: string) => ['spec.sharing', field, ...(name ? [name] : [])].join('.')
  return { problems: parsed.problems.map(({ name, reason }) => `${path(name)}: ${reason}`) }
}

function inWords({ share, keepBack }: SharingLimits, reason: string): StatedCondition {
  const kept = describeResources(keepBack)
  const message = kept ? `${lentAtMost(share)} ${kept} are kept back.` : lentAtMost(share)
  return { type: 'Sharing', status: 'True', reason, message }
}

function lentAtMost(share: Share): string {
  switch (share.kind) {
    case 'all':
      return 'Everything that is free is lent.'
    case 'percentage':
      return `At most ${share.percent}% of each resource is lent.`
    case 'amount':
      return `At most ${describeResources(share.amount) || 'nothing'} is lent.`
    case 'nothing':
      return 'Nothing is lent: this cluster only borrows.'
  }
}
