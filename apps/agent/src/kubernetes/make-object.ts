import {
  type DeleteOptions,
  ignoring,
  isAlreadyExists,
  isNotFound,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Ref,
} from '@bourse/kube'

type Creating = Pick<KubeClient, 'create' | 'get'>

/** Creates the object or reads the existing one; the watch may not have it yet. */
export async function makeObject<T extends KubeObject>(
  client: Creating,
  kind: Kind,
  object: T,
): Promise<T> {
  const made = await ignoring(isAlreadyExists, client.create<T>(kind, object))
  const { name, namespace } = object.metadata
  return made ?? client.get<T>(kind, name, namespace)
}

/** Succeeds also if the object is already gone. */
export async function removeObject(
  client: Pick<KubeClient, 'delete'>,
  kind: Kind,
  ref: Ref,
  options: DeleteOptions = {},
): Promise<void> {
  await ignoring(isNotFound, client.delete(kind, ref, options))
}
