import { isNewPublication, type LedgerEvent } from '@bourse/domain/ledger'
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

type Advertised = Extract<LedgerEvent, { kind: 'advertised' }>

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
    if (event.kind === 'advertised') noteAdvertised(event)
    if (event.kind === 'staled' || event.kind === 'returned')
      notes.set(event.clusterId, {
        ...noteOf(event.clusterId),
        isStale: event.kind === 'staled',
      })
    if (event.kind === 'acceptingChanged')
      notes.set(event.clusterId, {
        ...noteOf(event.clusterId),
        withdrawnAt: event.withdrawnAt,
      })
    if (event.kind === 'decommissioned') notes.delete(event.clusterId)
  }

  function noteAdvertised({ clusterId, advertisement }: Advertised): void {
    const { endpointUrl, stamp } = advertisement
    const showsNumbers = advertisement.visibility === 'full'
    const { withdrawnAt, ...before } = noteOf(clusterId)
    const isStale = before.isStale && !isNewPublication(advertisement, before)
    notes.set(clusterId, { endpointUrl, isStale, withdrawnAt, stamp, showsNumbers })
  }

  // Following begins within the read: nothing can be committed between the two.
  await writer.read((view) => {
    for (const { clusterId, advertisement, isStale, withdrawnAt } of view.clusters()) {
      const { endpointUrl, stamp } = advertisement
      const showsNumbers = advertisement.visibility === 'full'
      notes.set(clusterId, { endpointUrl, isStale, withdrawnAt, stamp, showsNumbers })
    }
    writer.subscribe(follow)
  })
  return noteOf
}
