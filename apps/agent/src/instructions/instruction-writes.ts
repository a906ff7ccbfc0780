import {
  addFinalizer,
  hasFinalizer,
  ignoring,
  isAlreadyExists,
  isNotFound,
  isSameJson,
  type KubeClient,
  removeFinalizer,
} from '@bourse/kube'
import type { Entry } from './entries.ts'
import {
  type InstructionObject,
  type InstructionStatus,
  idOf,
  isWithdrawn,
  kindOf,
  nameOf,
  type Request,
  requestAnnotation,
  specOf,
  stampOf,
  WITHDRAWN,
  withoutWithdrawn,
} from './instruction-object.ts'
import type { Role } from './terms.ts'

type Ports = Readonly<{
  client: KubeClient
  namespace: string
  role: Role
  /** Whether something must be undone before an object may go. */
  leavesTraces: boolean
  /** As the watch has told it, or a later write of ours was answered. */
  seen(id: string): InstructionObject | undefined
  /** An answer about what was seen. */
  note(answer: InstructionObject): void
  requestOf(entry: Entry, object?: InstructionObject): Request | undefined
  onCreated(entry: Entry): void
  /** What it says is something else now. */
  onChanged?(entry: Entry, object: InstructionObject): void
}>

/** While there is something to undo. */
const FINALIZER = 'bourse.dev/peering'

export type InstructionWrites = ReturnType<typeof createInstructionWrites>

/** How the objects of one side are written. Each may be repeated. */
export function createInstructionWrites(ports: Ports) {
  const { client, namespace, role, leavesTraces } = ports
  const kind = kindOf[role]
  /** The answers about what we created, until the watch tells of it for the first time. */
  const written = new Map<string, InstructionObject>()
  const creating = new Map<string, Promise<InstructionObject>>()

  return {
    current,
    found,
    told,
    create,
    corrected,
    show,
    withdrawn,
    remove,
    hasTraces: (object: InstructionObject) => hasFinalizer(object, FINALIZER),
    async forgetTraces(object: InstructionObject): Promise<void> {
      await removeFinalizer({ client, kind }, object, FINALIZER)
      written.delete(idOf(object.metadata.name, role) ?? '')
    },
  }

  function current(id: string): InstructionObject | undefined {
    return written.get(id) ?? ports.seen(id)
  }

  /**
   * Also finds one that is being created, or whose creation was not answered: for callers that
   * rely on its absence.
   */
  async function found(id: string): Promise<InstructionObject | undefined> {
    // A failure is reported by the creating call.
    await creating.get(id)?.catch(() => {})
    const known = current(id)
    if (known) return known
    const asked = client.get<InstructionObject>(kind, nameOf(id, role), namespace)
    return ignoring(isNotFound, asked)
  }

  /** The watch has delivered it, or its deletion; it may be behind our own writes. */
  function told(id: string): void {
    const ours = written.get(id)
    written.delete(id)
    if (ours) ports.note(ours)
  }

  function answered(id: string, object: InstructionObject): InstructionObject {
    if (ports.seen(id)) ports.note(object)
    else written.set(id, object)
    return object
  }

  /** Only once, although a request and the broker's answer may ask for it at the same moment. */
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
      ...(leavesTraces && { finalizers: [FINALIZER] }),
    }
    const created = await ignoring(
      isAlreadyExists,
      client.create<InstructionObject>(kind, { ...typed(), metadata, spec: wantedSpec(entry) }),
    )
    // It existed before the watch showed it: made by an earlier run, or by hand.
    const object = created ?? (await client.get<InstructionObject>(kind, metadata.name, namespace))
    if (created) ports.onCreated(entry)
    return answered(id, object)
  }

  /** Reverts manual edits and applies changes of the broker. */
  async function corrected(object: InstructionObject, entry: Entry): Promise<InstructionObject> {
    const wanted = wantedSpec(entry, object)
    const { annotations: before } = object.metadata
    const annotations = { ...withoutWithdrawn(before), ...annotationsOf(entry, object) }
    let safe = object
    const isChange = !isSameJson(object.spec, wanted)
    if (isChange || !isSameJson(before, annotations)) {
      const metadata = { ...object.metadata, annotations }
      safe = await client.replace<InstructionObject>(kind, { ...object, metadata, spec: wanted })
    }
    if (isChange) ports.onChanged?.(entry, safe)
    if (leavesTraces && !hasFinalizer(safe, FINALIZER))
      safe = await addFinalizer({ client, kind }, safe, FINALIZER)
    return safe === object ? object : answered(entry.terms.id, safe)
  }

  /** Whether there was anything to write. */
  async function show(id: string, object: InstructionObject, status: InstructionStatus) {
    if (isSameJson(object.status, status)) return false
    const options = { subresource: 'status' } as const
    const patch = { metadata: { uid: object.metadata.uid }, status }
    answered(id, await client.mergePatch(kind, object.metadata, patch, options))
    return true
  }

  /** Durable: after a restart it is known that it must be released. */
  async function withdrawn(object: InstructionObject): Promise<InstructionObject> {
    if (isWithdrawn(object.metadata)) return object
    const patch = { metadata: { uid: object.metadata.uid, annotations: WITHDRAWN } }
    const marked = await client.mergePatch<InstructionObject>(kind, object.metadata, patch)
    return answered(idOf(object.metadata.name, role) ?? '', marked)
  }

  async function remove({ metadata }: InstructionObject): Promise<void> {
    const preconditions = metadata.uid === undefined ? {} : { uid: metadata.uid }
    await ignoring(isNotFound, client.delete(kind, metadata, { preconditions }))
    written.delete(idOf(metadata.name, role) ?? '')
  }

  /** Fields of the request stay, even while the request is unknown or gone. */
  function wantedSpec(entry: Entry, object?: InstructionObject) {
    const { offload } = ports.requestOf(entry, object) ?? object?.spec ?? {}
    return { ...specOf(entry.terms, role), ...(offload && { offload }) }
  }

  function annotationsOf(entry: Entry, object?: InstructionObject): Record<string, string> {
    const request = ports.requestOf(entry, object)
    return { ...stampOf(entry), ...(request && requestAnnotation(request)) }
  }

  function typed() {
    return { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind }
  }
}
