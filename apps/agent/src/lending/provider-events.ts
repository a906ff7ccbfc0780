import { spokenAmounts, type Terms } from '../instructions/terms.ts'
import type { ObjectEvent } from '../kubernetes/events.ts'

/** Kubernetes Events at the provider about a reservation. */
export const providerEvents = {
  held: (terms: Terms): ObjectEvent => normal('Held', 'Hold', `${sentenceOf(terms)}.`),
  changed: (terms: Terms): ObjectEvent => normal('Changed', 'Hold', `Now ${sentenceOf(terms)}.`),
  ended: (requester: string | undefined): ObjectEvent =>
    normal('Ended', 'Release', `This reservation of ${requester} has ended.`),
}

function sentenceOf({ amounts, party, expiresAt }: Terms): string {
  const end = expiresAt === undefined ? 'until it is released' : `until ${expiresAt}`
  return `${spokenAmounts(amounts)} held for ${party} ${end}`
}

function normal(reason: string, action: string, note: string): ObjectEvent {
  return { type: 'Normal', reason, action, note }
}
