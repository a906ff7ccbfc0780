import { BROKER_FIELD_MANAGER } from '@bourse/contract/kinds'
import type { Kind, KubeClient, KubeObject } from '@bourse/kube'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { MIRROR_LABEL, MIRROR_OF } from '../objects/kinds.ts'
import { proven } from '../objects/same-status.ts'
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

type Address = Readonly<{ name: string; namespace: string }>
type Part = Readonly<{ metadata?: object; spec: object } | { status: object }>

/** Marks an object as the broker's own. */
export const mirrorLabels = { labels: { [MIRROR_LABEL]: MIRROR_OF } }

/** The writes to the objects of one kind, each at the pace of mirrors. */
export function createMirrorWrites<O extends KubeObject>(
  kind: Kind,
  { client, pace, proof }: Pick<MirrorPorts, 'client' | 'pace' | 'proof'>,
) {
  return {
    async apply(
      target: Address & Readonly<{ resourceVersion?: string }>,
      part: Part,
      signal: AbortSignal,
    ): Promise<O> {
      await pace.take(signal)
      const { name, namespace, resourceVersion } = target
      const address = { name, namespace, ...(resourceVersion && { resourceVersion }) }
      const options = { fieldManager: BROKER_FIELD_MANAGER, force: true, signal } as const
      if ('status' in part) {
        const wanted = { metadata: address, status: proven(part.status, proof) }
        return client.apply<O>(kind, wanted, { ...options, subresource: 'status' })
      }
      const metadata = { ...address, ...part.metadata }
      return client.apply<O>(kind, { metadata, spec: part.spec }, options)
    },

    async remove(object: Address & Readonly<{ uid: string }>, signal: AbortSignal): Promise<void> {
      await pace.take(signal)
      await client.delete(kind, object, { preconditions: { uid: object.uid }, signal })
    },
  }
}
