import { type Cluster, isNewPublication, type LedgerEvent } from '@bourse/domain/ledger'
import type { Committed, LedgerWriter } from '../ledger/writer/ledger-writer.ts'

/** What a reservation's answer says about a provider. */
export type ProviderNote = Readonly<{
  /** Where it is reached, if it says so. */
  endpointUrl?: string | undefined
  /** It has been silent for too long: what it holds stays, but is in doubt. */
  isStale: boolean
  /** It has withdrawn: when what it holds ends, unless it opens again. */
  withdrawnAt?: number | undefined
  /** The time of its last publication; reading it again is not a heartbeat. */
  stamp?: string | undefined
  /** It lets others see its numbers. */
  showsNumbers?: boolean
}>
export type NoteOf = (clusterId: string) => ProviderNote

type Known = Pick<Cluster, 'clusterId' | 'advertisement' | 'isStale'> &
  Pick<ProviderNote, 'withdrawnAt'>

const UNKNOWN: ProviderNote = { isStale: false }

/**
 * Kept from committed events: an answer needs them, and must not wait for a second look at the
 * ledger.
 */
export async function createProviderNotes(
  writer: Pick<LedgerWriter, 'read' | 'subscribe'>,
): Promise<NoteOf> {
  const notes = new Map<string, ProviderNote>()
  const noteOf: NoteOf = (clusterId) => notes.get(clusterId) ?? UNKNOWN

  function follow({ events }: Committed): void {
    for (const event of events) note(event)
  }

  function note(event: LedgerEvent): void {
    if (!('clusterId' in event)) return
    const { clusterId } = event
    const before = noteOf(clusterId)
    if (event.kind === 'advertised') {
      const isStale = before.isStale && !isNewPublication(event.advertisement, before)
      keep({ ...event, isStale, withdrawnAt: before.withdrawnAt })
    }
    if (event.kind === 'staled' || event.kind === 'returned')
      notes.set(clusterId, { ...before, isStale: event.kind === 'staled' })
    if (event.kind === 'acceptingChanged')
      notes.set(clusterId, { ...before, withdrawnAt: event.withdrawnAt })
    if (event.kind === 'decommissioned') notes.delete(clusterId)
  }

  function keep({ clusterId, advertisement, isStale, withdrawnAt }: Known): void {
    const { endpointUrl, stamp } = advertisement
    const showsNumbers = advertisement.visibility === 'full'
    notes.set(clusterId, { endpointUrl, isStale, withdrawnAt, stamp, showsNumbers })
  }

  // Following begins within the read: nothing can be committed between the two.
  await writer.read((view) => {
    for (const cluster of view.clusters()) keep(cluster)
    writer.subscribe(follow)
  })
  return noteOf
}
