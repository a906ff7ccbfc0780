import type { Reservation, ReserveCommand } from '@bourse/domain/ledger'
import type { KubeClient } from '@bourse/kube'
import type { Logger } from 'pino'
import type { FairShare } from '../fair-share/index.ts'
import type { Admission } from '../intake/admission.ts'
import type { RequestLimits } from '../intake/read-request.ts'
import type { LedgerWriter } from '../ledger/writer/ledger-writer.ts'
import { createProviderNotes, type NoteOf } from '../presentation/provider-notes.ts'
import type { RollbackGuard } from '../rollback/rollback-guard.ts'
import type { History } from '../store/port/history.ts'
import {
  findLeftovers,
  type Leftovers,
  mirroredReservations,
  mirroredSupply,
  refusalBeside,
} from './inbound/adoption.ts'
import type { ObjectTrials } from './inbound/granted-changes.ts'
import { createObjectReservations } from './inbound/object-reservations.ts'
import type { WhyNotLeading } from './objects/leader-only.ts'
import { startResync } from './resync.ts'
import { wire } from './wire.ts'

export type KubernetesPorts = Readonly<{
  client: KubeClient
  writer: LedgerWriter
  history: Pick<History, 'request'>
  ledgerId: string
  rollback: Pick<RollbackGuard, 'proof' | 'judge'>
  now(): number
  whyNotLeading: WhyNotLeading
  admission(): Admission
  /** Keeps one cluster from taking the capacity of all, by REST and by objects together. */
  share: FairShare
  /** Charges requesters that probe what others have free. */
  trials(noteOf: NoteOf): Trials
  log: Logger
}>
type Trier = Readonly<{ id: string; isOperator: boolean }>
type Trials = Readonly<{
  refused(command: ReserveCommand, caller: Trier): void
  released(reservation: Reservation, caller: Trier): void
}>
export type KubernetesSettings = RequestLimits &
  Readonly<{
    /** Where what comes by REST is shown. */
    httpNamespace: string
    /** Whether what another broker left is taken over. */
    adopt: boolean
  }>

/**
 * Opens the two directions of the Kubernetes interface:
 *
 *   clusters listed ──► supply read ──► reservations listed ──► orphans released ──► all shown
 *
 * Supply comes first, so that a request which was made together with it is not refused. All of it
 * goes on behind: the API server may be away, and nothing else has to wait for it.
 */
export async function openKubernetesInterface(
  ports: KubernetesPorts,
  settings: KubernetesSettings,
) {
  const { writer, ledgerId, log } = ports
  const leftovers = await leftoversToTake(ports, settings)
  const objectReservations = createObjectReservations()
  const noteOf = await createProviderNotes(writer)
  const endpointOf = (clusterId: string) => noteOf(clusterId).endpointUrl
  const trials = chargedToRequester(ports.trials(noteOf))
  const parts = wire({ ...ports, endpointOf, trials }, settings, objectReservations)
  const { clusters, reservations, inbound, mirrors, objectEvents } = parts
  const closing = new AbortController()
  await using opened = new AsyncDisposableStack()
  let isOpen = false

  // Following begins within the read: nothing can be committed between the two.
  await writer.read((view) => {
    objectReservations.load(view)
    opened.defer(writer.subscribe(follow))
  })
  const opening = open().catch(unlessClosing)
  const rest = opened.move()

  return {
    /** Why objects are not looked at now; undefined when all is well. */
    trouble: () => (isOpen ? undefined : 'the first list from the API server has not arrived yet'),
    /** How much is not read, or not shown yet. */
    backlog: () => inbound.size() + mirrors.size(),
    close,
  }

  function follow(committed: Parameters<Parameters<LedgerWriter['subscribe']>[0]>[0]): void {
    for (const uid of objectReservations.follow(committed)) {
      const key = reservations.keyOfUid(uid)
      if (key !== undefined) inbound.look.atReservation(key)
    }
    if (isOpen) mirrors.follow(committed)
  }

  async function open(): Promise<void> {
    await clusters.fill()
    await inbound.supplyRead()
    const moment = { now: ports.now(), limits: settings }
    await inbound.takeOver([
      ...mirroredSupply(leftovers),
      ...mirroredReservations(leftovers, moment),
    ])
    await reservations.fill()
    if (closing.signal.aborted) return
    inbound.look.forOrphans()
    isOpen = true
    const { read } = writer
    const resync = startResync({ inbound, mirrors, clusters, reservations, read })
    rest.defer(resync.stop)
    log.info({ ledger: ledgerId }, 'the kubernetes interface is open')
  }

  /** Nothing here gives up by itself; closing is what ends the waiting. */
  function unlessClosing(cause: Error): void {
    if (!closing.signal.aborted) throw cause
  }

  async function close(): Promise<void> {
    closing.abort()
    await Promise.all([clusters.stop(), reservations.stop()])
    await opening
    await rest.disposeAsync()
    await Promise.all([inbound.stop(), mirrors.stop()])
    await objectEvents.stop()
  }
}

/** An object acts for its requester, whichever user wrote it. */
function chargedToRequester(trials: Trials): ObjectTrials {
  const trier = (id: string) => ({ id, isOperator: false })
  return {
    refused: (command) => trials.refused(command, trier(command.requester)),
    released: (reservation) => trials.released(reservation, trier(reservation.requester)),
  }
}

const NOTHING: Leftovers = { reservations: [], clusters: [] }

/** A ledger that has never had anything begins beside nothing, or takes over what is there. */
async function leftoversToTake(
  { client, writer, ledgerId }: KubernetesPorts,
  { adopt }: KubernetesSettings,
): Promise<Leftovers> {
  const isEmpty = await writer.read((view) => view.liveCount === 0 && isNone(view.clusters()))
  if (!isEmpty && !adopt) return NOTHING
  const leftovers = await findLeftovers(client, ledgerId)
  const refusal = adopt ? undefined : refusalBeside(leftovers)
  if (refusal !== undefined) throw new OtherLedger(refusal)
  return leftovers
}

class OtherLedger extends Error {
  override readonly name = 'OtherLedger'
}

function isNone(items: Iterable<unknown>): boolean {
  for (const _ of items) return false
  return true
}
