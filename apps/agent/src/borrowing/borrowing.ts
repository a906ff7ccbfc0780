import { type BrokerCommunicator, isUnsupported } from '@bourse/client'
import type { ResourceRequestStatus } from '@bourse/contract/kinds'
import { given } from '@bourse/daemon/given'
import {
  addFinalizer,
  createController,
  createReflector,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
  systemClock,
} from '@bourse/kube'
import { createBrokerClock } from '../broker/broker-clock.ts'
import { createBrokerWatch } from '../broker/broker-watch.ts'
import type { Entry } from '../instructions/entries.ts'
import { createInstructionKeeper } from '../instructions/instruction-keeper.ts'
import { createInstructionObjects } from '../instructions/instruction-objects.ts'
import { STRANGER } from '../instructions/instruction-status.ts'
import type { SideOptions } from '../instructions/side-options.ts'
import { spokenAmounts } from '../instructions/terms.ts'
import { RESERVATION_INSTRUCTION, RESOURCE_REQUEST } from '../kubernetes/kinds.ts'
import { createLeftBehind } from './left-behind.ts'
import { createRequesterReservations, isLive } from './requester-reservations.ts'
import { createRequesterWork } from './requester-work.ts'
import {
  createRequestKeys,
  isFinished,
  RESOURCE_REQUEST_FINALIZER,
  type ResourceRequest,
  requestRefOf,
  uidOf,
} from './resource-request.ts'
import { createDeletion } from './resource-request-deletion.ts'
import { eventsOf } from './resource-request-events.ts'
import { createResourceRequestReconciler } from './resource-request-reconciler.ts'

/** ResourceRequests may be in any namespace. */
type BorrowingOptions = SideOptions & Readonly<{ broker: BrokerCommunicator }>

const WORKERS = 8

/** The requester's side: ResourceRequests, and an instruction for each reservation. */
export function createBorrowing(options: BorrowingOptions) {
  const { client, broker, namespace, log, objectEvents, confirmed, peering } = options
  const { clock = systemClock, pollMs } = options
  const brokerClock = createBrokerClock(clock)
  const ledgers = { confirmed: confirmed.current, remember: broker.remember }
  const keeper = createInstructionKeeper({ role: 'requester', brokerClock, clock, ...ledgers })
  const side = { client, namespace, role: 'requester', keeper, clock } as const
  const requesting = { broker, peering, brokerClock, clock }
  let isAway = true
  const objects = createInstructionObjects({
    ...side,
    work: createRequesterWork({ ...requesting, onActive: (held) => reservations.noteChange(held) }),
    requestOf,
    onCreated: tellInstruction,
    onShown: lookAt,
    onStranger: (object) => objectEvents.tell(RESERVATION_INSTRUCTION, object, STRANGER),
    onTrouble: (err, key, pauseMs) =>
      log.warn({ key, pauseMs, err }, 'instruction not carried out yet'),
  })
  const reservations = createRequesterReservations({ keeper, objects, brokerClock, ...ledgers })
  const keys = createRequestKeys()
  const reflector = createReflector<ResourceRequest, ResourceRequest>({
    client,
    kind: RESOURCE_REQUEST,
    on: keys.listener,
    onTrouble: (err, pauseMs) => log.warn({ pauseMs, err }, 'cannot watch resource requests'),
    clock,
  })
  const watch = createBrokerWatch({
    watch: (asked) => broker.watchReservations({ ...asked, ...given({ pollMs }) }),
    take: ({ reservations, ...stamp }) => heard(() => keeper.take({ ...stamp, reservations })),
    ...{ onTrouble, onUnsupported, clock },
  })
  const leftBehind = createLeftBehind({ client, broker, reservations, log, clock })
  /** Uids whose finalizer we removed ourselves, with nothing left to release. */
  const released = new Set<string>()
  let controller: ReturnType<typeof control> | undefined

  keeper.subscribe((ids) => ids.forEach(lookAt))
  confirmed.subscribe(reconsider)
  peering.subscribe(objects.look)

  return {
    /** Resolves when the local instructions are read; the broker may still be unreachable. */
    async start(): Promise<void> {
      await objects.load()
      controller = control()
      watch.start()
      // Rejects if stopped before the first list; then there is nothing to seek.
      reflector.synced.then(seekLeftBehind, () => {})
      log.info('reservation watcher started')
    },
    async stop(): Promise<void> {
      keeper.stop()
      await Promise.all([watch.stop(), controller?.stop(), leftBehind.stop()])
      await Promise.all([objects.stop(), reflector.stop()])
    },
    standing: keeper.standing,
    /** Why the broker does not answer, once that has lasted. */
    trouble: watch.trouble,
    /** Called when any of this changed. */
    subscribe: (listener: () => void) => keeper.subscribe(() => listener()),
  }

  function control() {
    const finalizing = { client, kind: RESOURCE_REQUEST }
    const writes = {
      async protect(request: ResourceRequest) {
        if (hasFinalizer(request, RESOURCE_REQUEST_FINALIZER)) return request
        const safe = await addFinalizer(finalizing, request, RESOURCE_REQUEST_FINALIZER)
        reflector.note(safe)
        return safe
      },
      unprotect(request: ResourceRequest) {
        released.add(uidOf(request))
        return removeFinalizer(finalizing, request, RESOURCE_REQUEST_FINALIZER)
      },
    }
    const deletion = createDeletion({
      broker,
      reservations,
      objects: writes,
      clock,
      warn: (request, { reason, message: note }) =>
        objectEvents.tell(RESOURCE_REQUEST, request, {
          type: 'Warning',
          action: 'Release',
          reason,
          note,
        }),
    })
    const ports = { broker, reservations, objects: writes, deletion, clock }
    const reconciler = createResourceRequestReconciler(ports)
    return createController<ResourceRequest, ResourceRequestStatus>({
      client,
      reflector,
      workers: WORKERS,
      clock,
      show: (request) => request,
      reconcile: reconciler.reconcile,
      written(request, status) {
        // After the status, so that these writes do not delay it.
        tellRequest(request, status)
        if (status.reservationName !== undefined) objects.look(status.reservationName)
      },
      async gone(last) {
        reconciler.forget(uidOf(last))
        if (!released.delete(uidOf(last)) && mayHold(last))
          leftBehind.suspect({ ...requestRefOf(last), reservation: last.status?.reservationName })
      },
      onTrouble: (err, key, pauseMs) =>
        log.warn({ request: key, pauseMs, err }, 'request not served yet'),
    })
  }

  function requestOf(uid: string | undefined) {
    const [ref, key] = [keys.refOfUid(uid), keys.ofUid(uid)]
    const request = key === undefined ? undefined : reflector.get(key)
    if (!ref || !request) return undefined
    return { ...ref, offload: request.spec?.offload, isLeaving: isBeingDeleted(request) }
  }

  /** Requests that were removed while no agent was running; their instructions are still here. */
  function seekLeftBehind(): void {
    for (const request of objects.requests())
      if (keys.ofUid(request.uid) === undefined) leftBehind.suspect(request)
  }

  function mayHold(request: ResourceRequest): boolean {
    const entry = reservations.find(uidOf(request), request.status?.reservationName)
    if (isFinished(request)) return isLive(entry)
    return hasFinalizer(request, RESOURCE_REQUEST_FINALIZER) || entry !== undefined
  }

  function reconsider(): void {
    keeper.reconsider()
    controller?.enqueueAll()
  }

  function lookAt(id: string): void {
    const key = keys.ofReservation(id) ?? keys.ofUid(keeper.get(id)?.reservation?.requestId)
    if (key !== undefined) controller?.enqueue(key)
  }

  function heard(take: () => void): void {
    const wasComplete = keeper.isComplete()
    take()
    if (isAway || !wasComplete) {
      controller?.enqueueAll()
      leftBehind.lookAgain()
    }
    isAway = false
  }

  function onTrouble(err: Error, pauseMs: number): void {
    if (isUnsupported(err)) {
      log.info('this broker does not list reservations')
      return
    }
    isAway = true
    options.watchFailed?.('reservations')
    log.warn({ pauseMs, err }, 'cannot watch reservations')
  }

  /** Grants of such a broker end by time alone. */
  function onUnsupported(): void {
    heard(() => keeper.take({ reservations: [] }))
  }

  function tellInstruction({ terms }: Entry): void {
    const { id: reservation, party: target, amounts } = terms
    const facts = { reservation, target }
    log.info(facts, 'ReservationInstruction created')
    log.info(facts, `Use ${target} for ${spokenAmounts(amounts)}`)
  }

  function tellRequest(request: ResourceRequest, status: ResourceRequestStatus): void {
    for (const event of eventsOf(request.status, status))
      objectEvents.tell(RESOURCE_REQUEST, request, event)
    const { phase, reason, message, reservationName: reservation, targetClusterID: target } = status
    const { status: before } = request
    const isAnswered = before?.observedGeneration !== undefined
    if (isAnswered && phase === before.phase) return
    const { name, namespace } = request.metadata
    const facts = { request: `${namespace}/${name}`, reservation, target }
    if (phase === 'Reserved') log.info(facts, 'reservation fulfilled')
    else log.info({ ...facts, phase, reason }, message ?? 'resource request changed')
  }
}
