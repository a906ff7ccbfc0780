import {
  type Clock,
  createReflector,
  createWorkQueue,
  ignoring,
  isBeingDeleted,
  isNotFound,
  type KubeClient,
} from '@bourse/kube'
import type { Entry } from './entries.ts'
import type { InstructionKeeper } from './instruction-keeper.ts'
import {
  entryIn,
  type InstructionObject,
  type InstructionStatus,
  idOf,
  isStamped,
  isWithdrawn,
  kindOf,
  nameOf,
  type Request,
  type RequestRef,
  requestRefIn,
} from './instruction-object.ts'
import { conditionsOf, givenBackStep } from './instruction-status.ts'
import { createInstructionWrites, type InstructionWrites } from './instruction-writes.ts'
import type { Role } from './terms.ts'

/** Carries out an instruction. Each call may be repeated. */
export type InstructionWork = Readonly<{
  /** Whether `undo` must be done before an object may be deleted. */
  leavesTraces: boolean
  perform(entry: Entry, object: InstructionObject, signal: AbortSignal): Promise<Performed>
  undo(entry: Entry, signal: AbortSignal): Promise<Undone>
}>
type Performed = Readonly<{ status: InstructionStatus; againAfterMs?: number | undefined }>
type Undone = Readonly<{ isDone: boolean; againAfterMs?: number | undefined }>

type Ports = Readonly<{
  client: KubeClient
  namespace: string
  role: Role
  keeper: InstructionKeeper
  work: InstructionWork
  /** Its ResourceRequest, if it has one. */
  requestOf?(uid: string | undefined): Request | undefined
  onCreated(entry: Entry): void
  onChanged?(entry: Entry, object: InstructionObject): void
  /** It is no longer an entry, and its object is deleted. */
  onEnded?(object: InstructionObject): void
  /** Its status changed, or it is gone. */
  onShown?(id: string): void
  /** An object that was made by hand. */
  onStranger(object: InstructionObject): void
  onTrouble(error: Error, key: string, pauseMs: number): void
  clock: Clock
}>

/** Conflicts with our own writes resolve at once; an unreachable API server takes longer. */
const BACKOFF = { baseMs: 20, capMs: 30_000 }
/** Several times a write, and short compared with a peering. */
const HEAD_START_MS = 250
const UNDO_AGAIN_MS = 1_000

export type InstructionObjects = ReturnType<typeof createInstructionObjects>

/**
 * Makes the objects of one side equal to its entries: created, corrected, removed.
 *
 *   told ──► object with stamp (and finalizer) ──► performed ──► status
 *   over ──► object deleted ──► undone ──► finalizer off
 *   withdrawn ──► marked ──► undone, finalizer off ──► (released at the broker) ──► discarded
 */
export function createInstructionObjects(ports: Ports) {
  const { client, namespace, role, keeper, work, clock } = ports
  const kind = kindOf[role]
  /** Until when a new one waits for its request to be shown: two writes delay each other. */
  const heldBack = new Map<string, number>()
  let isLoaded = false
  const queue = createWorkQueue({ work: turn, onTrouble: ports.onTrouble, backoff: BACKOFF, clock })

  const reflector = createReflector<InstructionObject, InstructionObject>({
    client,
    kind,
    namespace,
    on: { added: seen, changed: seen, removed: left },
    onTrouble: (error, pauseMs) => ports.onTrouble(error, kind.plural, pauseMs),
    clock,
  })
  const writes = createInstructionWrites({
    client,
    namespace,
    role,
    requestOf,
    onCreated: ports.onCreated,
    ...(ports.onChanged && { onChanged: ports.onChanged }),
    leavesTraces: work.leavesTraces,
    seen: (id) => reflector.get(`${namespace}/${nameOf(id, role)}`),
    note: (answer) => reflector.note(answer),
  })
  const { current } = writes
  const withdrawals = createWithdrawals({ ...ports, writes, requestOf })
  const unsubscribe = keeper.subscribe((ids) => {
    for (const id of ids) queue.add(id)
  })

  return {
    /** Reads the objects of an earlier run into the entries; until then nothing is changed. */
    async load(): Promise<void> {
      await reflector.synced
      isLoaded = true
      for (const object of reflector.items()) seen(object)
    },
    look(id: string): void {
      heldBack.delete(id)
      queue.add(id)
    },
    /** Resolves when its object exists. What else a new one needs has time until `look`. */
    async ensure(entry: Entry): Promise<void> {
      const { id } = entry.terms
      if (current(id)) return
      heldBack.set(id, clock.monotonic() + HEAD_START_MS)
      await writes.create(entry)
    },
    /**
     * Undoes its peering although the broker still holds it; false while that is in progress. Its
     * object stays, as the record of what must be released.
     */
    async withdraw(id: string): Promise<boolean> {
      const isKnown = current(id) !== undefined
      const isDone = await withdrawals.withdraw(id)
      // Without an object, no watch event would repeat this.
      if (!isDone && !isKnown) queue.add(id)
      return isDone
    },
    /** It was withdrawn, and the broker knows. */
    async discard(id: string): Promise<void> {
      const object = current(id)
      if (object) await dismiss(object)
    },
    /** The ResourceRequest of each reservation, where its annotation names one. */
    requests(): readonly (RequestRef & { reservation: string })[] {
      return [...reflector.items()].flatMap(({ metadata }) => {
        const ref = requestRefIn(metadata)
        return ref && isStamped(metadata) ? [{ ...ref, reservation: metadata.name }] : []
      })
    },
    statusOf: (id: string): InstructionStatus | undefined => current(id)?.status,
    async stop(): Promise<void> {
      unsubscribe()
      await Promise.all([queue.stop(), reflector.stop()])
    },
  }

  function seen(object: InstructionObject): void {
    if (!isLoaded) return
    const id = idOf(object.metadata.name, role)
    if (id === undefined) {
      stranger(object)
      return
    }
    writes.told(id)
    // Also one that is put back from a backup: the ledger that it names decides what becomes of it.
    const entry = entryIn(object, role)
    if (entry && !isBeingDeleted(object)) keeper.adopt(entry)
    queue.add(id)
  }

  function left({ metadata }: InstructionObject): void {
    const id = idOf(metadata.name, role)
    if (id === undefined || !isLoaded) return
    writes.told(id)
    ports.onShown?.(id)
    queue.add(id)
  }

  async function turn(id: string, signal: AbortSignal) {
    const entry = keeper.get(id)
    const object = current(id)
    if (object && isBeingDeleted(object)) return undoFirst(id, object, signal)
    if (!object && !entry) forget(id)
    if (!entry?.isGranted) return object && dismiss(object)
    if (withdrawals.isGivenUp(entry, object)) return giveBack(entry, object, signal)
    const waitMs = (heldBack.get(id) ?? 0) - clock.monotonic()
    if (waitMs > 0) return { againAfterMs: waitMs }
    heldBack.delete(id)
    const safe = await writes.corrected(object ?? (await writes.create(entry)), entry)
    const { status, againAfterMs } = await work.perform(entry, safe, signal)
    if (await writes.show(id, safe, status)) ports.onShown?.(id)
    return { againAfterMs }
  }

  function forget(id: string): void {
    withdrawals.forget(id)
    heldBack.delete(id)
  }

  async function giveBack(
    entry: Entry,
    object: InstructionObject | undefined,
    signal: AbortSignal,
  ) {
    if (!object) return withdrawals.giveBackUnseen(entry, signal)
    if (!isStamped(object.metadata)) return stranger(object)
    return withdrawals.giveBack(entry, object, signal)
  }

  async function dismiss(object: InstructionObject): Promise<undefined> {
    if (!isStamped(object.metadata)) return stranger(object)
    await writes.remove(object)
    ports.onEnded?.(object)
  }

  /** Undone first: only the object says that there is something to undo. */
  async function undoFirst(id: string, object: InstructionObject, signal: AbortSignal) {
    if (!writes.hasTraces(object)) return undefined
    const entry = keeper.get(id) ?? entryIn(object, role)
    const undone = entry ? await work.undo(entry, signal) : { isDone: true }
    if (!undone.isDone) return { againAfterMs: undone.againAfterMs ?? UNDO_AGAIN_MS }
    await writes.forgetTraces(object)
    return undefined
  }

  /** By its annotation until the broker has reported its request. */
  function requestOf({ reservation }: Entry, object?: InstructionObject): Request | undefined {
    return ports.requestOf?.(
      reservation?.requestId ?? (object && requestRefIn(object.metadata)?.uid),
    )
  }

  function stranger(object: InstructionObject): undefined {
    if (!isBeingDeleted(object)) ports.onStranger(object)
  }
}

type WithdrawalPorts = Readonly<{
  keeper: Pick<InstructionKeeper, 'get'>
  work: Pick<InstructionWork, 'leavesTraces' | 'undo'>
  writes: Pick<InstructionWrites, 'found' | 'hasTraces' | 'withdrawn' | 'forgetTraces' | 'show'>
  requestOf(entry: Entry, object?: InstructionObject): Request | undefined
  onShown?(id: string): void
  clock: Pick<Clock, 'now'>
}>

/** Instructions whose request was given up, although the keeper still has them. */
function createWithdrawals({ keeper, work, writes, ...ports }: WithdrawalPorts) {
  const withdrawn = new Set<string>()
  /** Of those, the ones without an object, of which nothing else is left either. */
  const undone = new Set<string>()

  return {
    /** Whether nothing is left of it; may be repeated. */
    async withdraw(id: string): Promise<boolean> {
      withdrawn.add(id)
      const object = await writes.found(id)
      // Without an object it is the keeper that knows whether there may be something to undo.
      if (!object) return undone.has(id) || !work.leavesTraces || !keeper.get(id)?.isGranted
      if (isBeingDeleted(object) || !isStamped(object.metadata)) return !writes.hasTraces(object)
      return !writes.hasTraces(await writes.withdrawn(object))
    },
    /** By its annotation only if its request is gone: the annotation may be a manual edit. */
    isGivenUp(entry: Entry, object: InstructionObject | undefined): boolean {
      if (withdrawn.has(entry.terms.id)) return true
      if (!object || !isWithdrawn(object.metadata) || !requestRefIn(object.metadata)) return false
      return ports.requestOf(entry, object)?.isLeaving ?? true
    },
    giveBack,
    giveBackUnseen,
    forget(id: string): void {
      withdrawn.delete(id)
      undone.delete(id)
    },
  }

  async function giveBack(entry: Entry, object: InstructionObject, signal: AbortSignal) {
    const { id } = entry.terms
    if (writes.hasTraces(object)) {
      const { isDone, againAfterMs = UNDO_AGAIN_MS } = await work.undo(entry, signal)
      if (!isDone) return { againAfterMs }
      await writes.forgetTraces(object)
    }
    const steps = conditionsOf(object, [givenBackStep(entry)], ports.clock.now())
    const shown = writes.show(id, object, { delivered: false, ...steps })
    // The object is missing if the reservation was released meanwhile.
    if (await ignoring(isNotFound, shown)) ports.onShown?.(id)
    return undefined
  }

  /** Its object is missing: its peering is found by the reservation's name. */
  async function giveBackUnseen(entry: Entry, signal: AbortSignal) {
    const { id } = entry.terms
    if (undone.has(id) || !work.leavesTraces) return undefined
    const { isDone, againAfterMs = UNDO_AGAIN_MS } = await work.undo(entry, signal)
    if (!isDone) return { againAfterMs }
    undone.add(id)
    ports.onShown?.(id)
    return undefined
  }
}
