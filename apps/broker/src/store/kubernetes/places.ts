import { apiVersionOf, ignoring, isNotFound, type Kind, type KubeObject } from '@bourse/kube'
import type { Objects } from './kinds.ts'

/** What is in a place, and the version that it takes to replace it. */
export type Kept<Spec> = Readonly<{ name: string; version: string; spec: Spec }>

export type ObjectStore<Spec> = ReturnType<typeof createObjectStore<Spec>>

type Settings = Readonly<{ objects: Objects; kind: Kind; namespace: string }>

const PAGE = 32
/** A write that has not ended by then has an unknown outcome. */
const WRITE_TIMEOUT_MS = 5_000
const FIELD_MANAGER = 'bourse-ledger'

/** Places of one kind, by name: made once, then only ever replaced, never taken away. */
export function createObjectStore<Spec>({ objects, kind, namespace }: Settings) {
  type Place = KubeObject<Spec>
  return { read, readAll, put, currentVersion, changesSince }

  /** As the API server has it, not a cache of it: no version asked for means a quorum read. */
  async function read(name: string): Promise<Kept<Spec> | undefined> {
    const found = await ignoring(isNotFound, objects.get<Place>(kind, name, namespace))
    return found && keptOf(found)
  }

  async function* readAll(): AsyncGenerator<Kept<Spec>> {
    for await (const page of objects.pages<Place>(kind, { namespace, limit: PAGE }))
      for (const item of page.items) yield keptOf(item)
  }

  /**
   * Creates the object if no version of it is known, else replaces exactly that version. Returns
   * the new version. A single attempt: the caller must know its outcome before the next.
   */
  async function put(name: string, spec: Spec, version?: string): Promise<string> {
    const metadata = { name, namespace, ...(version !== undefined && { resourceVersion: version }) }
    const place = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec }
    const options = { retry: false, timeoutMs: WRITE_TIMEOUT_MS, fieldManager: FIELD_MANAGER }
    const verb = version === undefined ? objects.create<Place> : objects.replace<Place>
    return versionOf(await verb(kind, place, options))
  }

  /** Every change after a version, until the server ends it or the signal does. */
  async function* changesSince(
    resourceVersion: string,
    signal: AbortSignal,
  ): AsyncGenerator<Kept<Spec>> {
    for await (const event of objects.watch<Place>(kind, { namespace, resourceVersion, signal }))
      if (event.type === 'ADDED' || event.type === 'MODIFIED') yield keptOf(event.object)
  }

  async function currentVersion(): Promise<string> {
    for await (const page of objects.pages<Place>(kind, { namespace, limit: 1 }))
      return page.resourceVersion
    return ''
  }

  function keptOf(place: Place): Kept<Spec> {
    const { metadata, spec } = place
    if (spec === undefined) throw new Error(`${kind.kind} ${metadata.name} has no spec.`)
    return { name: metadata.name, version: versionOf(place), spec }
  }
}

function versionOf({ metadata }: KubeObject): string {
  if (metadata.resourceVersion === undefined)
    throw new Error(`The API server gave ${metadata.name} no resourceVersion.`)
  return metadata.resourceVersion
}
