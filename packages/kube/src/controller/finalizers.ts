import { isConflict, isNotFound, KubeError } from '../client/errors.ts'
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

/** The object as it is with the finalizer. Rejects with NotFound if that very object is gone. */
export async function addFinalizer<T extends KubeObject>(
  ports: Ports,
  object: T,
  finalizer: string,
): Promise<T> {
  return change<T>(ports, object, (finalizers) =>
    finalizers.includes(finalizer) ? undefined : [...finalizers, finalizer],
  )
}

/** Lets the object go. One that is gone already is as wanted. */
export async function removeFinalizer(
  ports: Ports,
  object: Metadata,
  finalizer: string,
): Promise<void> {
  const removed = change(ports, object, (finalizers) =>
    finalizers.includes(finalizer) ? finalizers.filter((one) => one !== finalizer) : undefined,
  )
  await removed.then(undefined, (thrown) => {
    if (!isNotFound(thrown)) throw thrown
  })
}

type Change = (finalizers: readonly string[]) => readonly string[] | undefined

/** The list is replaced as a whole, so others' finalizers need the version that we read. */
async function change<T extends KubeObject>(
  { client, kind }: Ports,
  object: Metadata,
  changed: Change,
): Promise<T> {
  const { name, namespace, uid } = object.metadata
  let known: Metadata = object
  for (let attempts = 1; ; attempts++) {
    const finalizers = changed(known.metadata.finalizers ?? [])
    // Nothing to change: `known` was read as a whole, or is the caller's own.
    if (finalizers === undefined) return known as T
    const { resourceVersion } = known.metadata
    // Another object of that name has another uid, and the server refuses.
    const patch = { metadata: { uid, resourceVersion, finalizers } }
    const patched = await client
      .mergePatch<T>(kind, { name, namespace }, patch)
      .then(undefined, (thrown) => {
        if (!isConflict(thrown) || attempts >= ATTEMPTS_MAX) throw thrown
        return undefined
      })
    if (patched) return patched
    known = await sameObject<T>({ client, kind }, object)
  }
}

async function sameObject<T extends KubeObject>({ client, kind }: Ports, { metadata }: Metadata) {
  const found = await client.get<T>(kind, metadata.name, metadata.namespace)
  if (metadata.uid === undefined || found.metadata.uid === metadata.uid) return found
  throw new KubeError(`${kind.kind} ${metadata.name} is gone; another has its name.`, {
    status: 404,
    reason: 'NotFound',
  })
}
