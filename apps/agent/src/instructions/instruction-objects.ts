import {
  addFinalizer,
  createReflector,
  createWorkQueue,
  hasFinalizer,
  isAlreadyExists,
  isBeingDeleted,
  isNotFound,
  isSameJson,
  type KubeClient,
  type Patience,
  removeFinalizer,
} from '@bourse/kube'
import type { Entry } from './instruction-book.ts'
import type { InstructionKeeper } from './instruction-keeper.ts'
import {
  entryIn,
  type InstructionObject,
  type InstructionStatus,
  idOf,
  isStamped,
  kindOf,
  markIn,
  markOf,
  nameOf,
  type Request,
  type RequestMark,
  specOf,
  stampOf,
} from './instruction-object.ts'
import type { Role } from './terms.ts'

/** What is done about one instruction besides writing it down. Each may be repeated. */
export type InstructionWork = Readonly<{
  /** Whether `undo` must have been done before an object may go. */
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
  /** The ResourceRequest that led to it, if one did. */
  requestOf?(entry: Entry): Request | undefined
  onCreated(entry: Entry): void
  /** Its status is another one now, or it is gone. */
  onShown?(id: string): void
  /** An object that no broker stands behind. */
  onStranger(object: InstructionObject): void
  onTrouble(error: Error, key: string, pauseMs: number): void
  patience: Patience
}>

const FINALIZER = 'bourse.dev/peering'
/** Collisions with our own writes pass at once; an API server that is away takes longer. */
const BACKOFF = { baseMs: 20, capMs: 30_000 }
const UNDO_AGAIN_MS = 1_000

export type InstructionObjects = ReturnType<typeof createInstructionObjects>

/**
 * Makes the objects of one side equal to its book: created, corrected, removed.
 *
 *   told ──► object with stamp (and finalizer) ──► performed ──► status
 *   over ──► object deleted ──► undone ──► finalizer off
 */
export function createInstructionObjects(ports: Ports) {
  const { client, namespace, role, keeper, work, patience } = ports
  const kind = kindOf[role]
  /** The answers to our own writes, until the watch tells of that object. */
  const written = new Map<string, InstructionObject>()
  const creating = new Map<string, Promise<InstructionObject>>()
  /** Given up by whoever asked for it. */
  const withdrawn = new Set<string>()
  let isLoaded = false
  const queue = createWorkQueue({
    work: turn,
    onTrouble: ports.onTrouble,
    backoff: BACKOFF,
    patience,
  })
  const keyOf = (id: string) => `${namespace}/${nameOf(id, role)}`

  const reflector = createReflector<InstructionObject, InstructionObject>({
    client,
    kind,
    namespace,
    decode: (object) => object,
    on: { added: seen, changed: seen, removed: left },
    onTrouble: (error, pauseMs) => ports.onTrouble(error, kind.plural, pauseMs),
    patience,
  })
  const unsubscribe = keeper.subscribe((ids) => {
    for (const id of ids) queue.add(id)
  })

  return {
    /** Reads what an earlier life wrote into the book; until then nothing is touched. */
    async load(): Promise<void> {
      await reflector.synced
      isLoaded = true
      for (const object of reflector.items()) seen(object)
    },
    look: (id: string): void => void queue.add(id),
    /** Resolves when the object of this entry exists, for those who build on that. */
    async ensure(entry: Entry): Promise<void> {
      if (!current(entry.terms.id)) await create(entry)
    },
    /** Takes it back although the book still has it; false while that is under way. */
    async withdraw(id: string): Promise<boolean> {
      withdrawn.add(id)
      const object = current(id)
      if (!object) return true
      if (!isBeingDeleted(object)) await dismiss(object)
      return !hasFinalizer(object, FINALIZER)
    },
    /** Which ResourceRequest each reservation here was made for, as far as that is written. */
    requests(): readonly (RequestMark & { reservation: string })[] {
      return [...reflector.items()].flatMap(({ metadata }) => {
        const mark = markIn(metadata)
        return mark && isStamped(metadata) ? [{ ...mark, reservation: metadata.name }] : []
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
    written.delete(id)
    // Also one that is put back from a backup: the ledger that it names decides what becomes of it.
    const entry = entryIn(object, role)
    if (entry && !isBeingDeleted(object)) keeper.adopt(entry)
    queue.add(id)
  }

  function left({ metadata }: InstructionObject): void {
    const id = idOf(metadata.name, role)
    if (id === undefined || !isLoaded) return
    written.delete(id)
    ports.onShown?.(id)
    queue.add(id)
  }

  function current(id: string): InstructionObject | undefined {
    return written.get(id) ?? reflector.get(keyOf(id))
  }

  async function turn(id: string, signal: AbortSignal) {
    const entry = withdrawn.has(id) ? undefined : keeper.get(id)
    const object = current(id)
    if (object && isBeingDeleted(object)) return farewell(id, object, signal)
    if (!object && !keeper.get(id)) withdrawn.delete(id)
    if (!entry?.isGranted) return object && dismiss(object)
    const safe = await corrected(object ?? (await create(entry)), entry)
    const { status, againAfterMs } = await work.perform(entry, safe, signal)
    await show(id, safe, status)
    return { againAfterMs }
  }

  /** Once, although a request and the book may want it at the same moment. */
  function create(entry: Entry): Promise<InstructionObject> {
    const { id } = entry.terms
    const begun = creating.get(id) ?? createNow(entry).finally(() => creating.delete(id))
    creating.set(id, begun)
    return begun
  }

  async function createNow(entry: Entry): Promise<InstructionObject> {
    const { id } = entry.terms
    const metadata = {
      name: nameOf(id, role),
      namespace,
      annotations: annotationsOf(entry),
      ...(work.leavesTraces && { finalizers: [FINALIZER] }),
    }
    const created = await client
      .create<InstructionObject>(kind, { ...typed(), metadata, spec: wantedSpec(entry) })
      .then(undefined, (thrown) => {
        if (isAlreadyExists(thrown)) return undefined
        throw thrown
      })
    // It was there before the watch told of it: an earlier life of ours, or somebody else, made it.
    const object = created ?? (await client.get<InstructionObject>(kind, metadata.name, namespace))
    written.set(id, object)
    if (created) ports.onCreated(entry)
    return object
  }

  /** Whatever was edited by hand is put right; so is what the broker changed. */
  async function corrected(object: InstructionObject, entry: Entry): Promise<InstructionObject> {
    const wanted = wantedSpec(entry, object)
    const annotations = { ...object.metadata.annotations, ...annotationsOf(entry) }
    let safe = object
    if (!isSameJson(object.spec, wanted) || !isSameJson(object.metadata.annotations, annotations)) {
      const metadata = { ...object.metadata, annotations }
      safe = await client.replace<InstructionObject>(kind, { ...object, metadata, spec: wanted })
    }
    if (work.leavesTraces && !hasFinalizer(safe, FINALIZER))
      safe = await addFinalizer({ client, kind }, safe, FINALIZER)
    if (safe !== object) written.set(entry.terms.id, safe)
    return safe
  }

  async function show(id: string, object: InstructionObject, status: InstructionStatus) {
    if (isSameJson(object.status, status)) return
    const options = { subresource: 'status' } as const
    const patch = { metadata: { uid: object.metadata.uid }, status }
    const shown = await client.mergePatch<InstructionObject>(kind, object.metadata, patch, options)
    written.set(id, shown)
    ports.onShown?.(id)
  }

  async function dismiss(object: InstructionObject): Promise<undefined> {
    if (!isStamped(object.metadata)) return stranger(object)
    const { uid } = object.metadata
    const preconditions = uid === undefined ? {} : { uid }
    await client.delete(kind, object.metadata, { preconditions }).then(undefined, (thrown) => {
      if (!isNotFound(thrown)) throw thrown
    })
    written.delete(idOf(object.metadata.name, role) ?? '')
  }

  /** Undone first: with the object would go the knowledge that there is something to undo. */
  async function farewell(id: string, object: InstructionObject, signal: AbortSignal) {
    if (!hasFinalizer(object, FINALIZER)) return undefined
    const entry = keeper.get(id) ?? entryIn(object, role)
    const undone = entry ? await work.undo(entry, signal) : { isDone: true }
    if (!undone.isDone) return { againAfterMs: undone.againAfterMs ?? UNDO_AGAIN_MS }
    await removeFinalizer({ client, kind }, object, FINALIZER)
    written.delete(id)
    return undefined
  }

  /** What only the request says stays, also while that is not known or gone. */
  function wantedSpec(entry: Entry, object?: InstructionObject) {
    const { offload } = ports.requestOf?.(entry) ?? object?.spec ?? {}
    return { ...specOf(entry.terms, role), ...(offload && { offload }) }
  }

  function annotationsOf(entry: Entry): Record<string, string> {
    const request = ports.requestOf?.(entry)
    return { ...stampOf(entry), ...(request && markOf(request)) }
  }

  function stranger(object: InstructionObject): undefined {
    if (!isBeingDeleted(object)) ports.onStranger(object)
  }

  function typed() {
    return { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind }
  }
}
