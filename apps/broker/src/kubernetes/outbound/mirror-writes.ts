import type { Kind, KubeClient, KubeObject } from '@bourse/kube'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { AdvertisementItem } from '../objects/advertisement-object.ts'
import { MIRROR_LABEL, MIRROR_OF } from '../objects/kinds.ts'
import { createApply, type Part, type Target } from '../objects/object-writes.ts'
import type { ReservationItem } from '../objects/reservation-object.ts'
import type { Pace } from './mirror-pace.ts'

/** What both kinds of mirrors need. */
export type MirrorPorts = Readonly<{
  client: Pick<KubeClient, 'apply' | 'delete'>
  read: LedgerWriter['read']
  pace: Pace
  /** Where what came by REST is shown. */
  namespace: string
  ledgerId: string
  /** How far the ledger is. */
  proof(): string
  now(): number
}>

type Mirror = ReservationItem | AdvertisementItem

/** Marks an object as the broker's own. */
export const mirrorLabels = { labels: { [MIRROR_LABEL]: MIRROR_OF } }

/** The writes to the objects of one kind, each at the pace of mirrors. */
export function createMirrorWrites<O extends KubeObject>(kind: Kind, ports: MirrorPorts) {
  const applyNow = createApply<O>(kind, ports)
  return {
    async apply(target: Target, part: Part, signal: AbortSignal): Promise<O> {
      await ports.pace.take(signal)
      return applyNow(target, part, signal)
    },
    remove,
    async removeStray(object: Mirror | undefined, signal: AbortSignal): Promise<undefined> {
      if (object && !object.isDeleting && isStray(object, ports)) await remove(object, signal)
    },
  }

  async function remove({ name, namespace, uid }: Mirror, signal: AbortSignal): Promise<void> {
    await ports.pace.take(signal)
    await ports.client.delete(kind, { name, namespace }, { preconditions: { uid }, signal })
  }
}

/** A mirror of this ledger in an earlier --http-namespace, which is no longer updated. */
export function isStray(
  object: Mirror,
  { namespace, ledgerId }: Pick<MirrorPorts, 'namespace' | 'ledgerId'>,
): boolean {
  // Another broker on this API server may show another ledger elsewhere.
  return object.isOurs && object.namespace !== namespace && ledgerOf(object) === ledgerId
}

function ledgerOf(object: Mirror): string | undefined {
  return 'ledgerId' in object ? object.ledgerId : object.shown.ledgerID
}
