import { ignoring, isConflict, isNotFound, KubeError } from '../client/errors.ts'
import type { KubeClient } from '../client/kube-client.ts'
import type { Kind, KubeObject } from '../objects/objects.ts'

const ATTEMPTS_MAX = 5

type Ports = Readonly<{ client: Pick<KubeClient, 'get' | 'mergePatch'>; kind: Kind }>
type Metadata = Pick<KubeObject, 'metadata'>

export function hasFinalizer({ metadata }: Metadata, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}

export function isBeingDeleted({ metadata }: Metadata): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** The object with the finalizer. Rejects with NotFound if this object (by uid) is gone. */
export async function addFinalizer<T extends KubeObject>(
  ports: Ports,
  object: T,
  finalizer: string,
): Promise<T> {
  return change<T>(ports, object, (finalizers) =>
    finalizers.includes(finalizer) ? undefined : [...finalizers, finalizer],
  )
}

/** Succeeds also if the object is already gone. */
export async function removeFinalizer(
  ports: Ports,
  object: Metadata,
  finalizer: string,
): Promise<void> {
  const removed = change(ports, object, (finalizers) =>
    finalizers.includes(finalizer) ? finalizers.filter((one) => one !== finalizer) : undefined,
  )
  await ignoring(isNotFound, removed)
}

type Change = (finalizers: readonly string[]) => readonly string[] | undefined

/** A patch replaces the whole list, so it carries the version that we read. */
async function change<T extends KubeObject>(
  { client, kind }: Ports,
  object: Metadata,
  changed: Change,
): Promise<T> {
  const { name, namespace, uid } = object.metadata
  let known: Metadata = object
  for (let attempts = 1; ; attempts++) {
    const finalizers = changed(known.metadata.finalizers ?? [])
    // Nothing to change: `known` is the caller's object or was read in full.
    if (finalizers === undefined) return known as T
    const { resourceVersion } = known.metadata
    // The uid makes the server refuse another object of the same name.
    const patch = { metadata: { uid, resourceVersion, finalizers } }
    const mayRetry = (thrown: unknown) => isConflict(thrown) && attempts < ATTEMPTS_MAX
    const sent = client.mergePatch<T>(kind, { name, namespace }, patch)
    const patched = await ignoring(mayRetry, sent)
    if (patched) return patched
    known = await sameObject<T>({ client, kind }, object)
  }
}

async function sameObject<T extends KubeObject>({ client, kind }: Ports, { metadata }: Metadata) {
  const found = await client.get<T>(kind, metadata.name, metadata.namespace)
  if (metadata.uid === undefined || found.metadata.uid === metadata.uid) return found
  throw new KubeError(`${kind.kind} ${metadata.name} is gone; another object has its name.`, {
    status: 404,
    reason: 'NotFound',
  })
}
