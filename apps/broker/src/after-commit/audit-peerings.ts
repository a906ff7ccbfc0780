import { holdsNow, type LedgerImage, type Reservation } from '@bourse/domain/ledger'

/**
 * Whether each session ends when it must: the ledger counts the reservations of a pair as they come
 * and go, and this counts them anew.
 */
export function createPeeringAudit({ peerings }: LedgerImage) {
  const unseen = new Set(peerings.map(({ requester, provider }) => pairOf(requester, provider)))
  const live = new Set<string>()

  return { count, findings }

  function count({ requester, legs, phase }: Reservation): void {
    if (unseen.size === 0 || !holdsNow(phase)) return
    for (const { clusterId } of legs) {
      const pair = pairOf(requester, clusterId)
      if (unseen.delete(pair)) live.add(pair)
    }
  }

  function* findings(): Generator<string> {
    for (const { id, requester, provider, state, expiresAt } of peerings) {
      const isKept = state !== 'open' && live.has(pairOf(requester, provider))
      if (isKept === (expiresAt === undefined)) continue
      const claim = expiresAt === undefined ? 'has no end' : 'is about to end'
      const seen = isKept ? 'finds a live reservation' : 'finds nothing to keep it'
      yield `${id}: this peering of ${requester} with ${provider} ${claim}, and a recount ${seen}.`
    }
  }
}

function pairOf(requester: string, provider: string): string {
  return `${requester}/${provider}`
}
