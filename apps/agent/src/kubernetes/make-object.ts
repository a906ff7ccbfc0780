import {
  type DeleteOptions,
  isAlreadyExists,
  isNotFound,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Ref,
} from '@bourse/kube'

type Creating = Pick<KubeClient, 'create' | 'get'>

/** The object as it is, made if it was not there; the watch may not have told of it yet. */
export async function makeObject<T extends KubeObject>(
  client: Creating,
  kind: Kind,
  object: T,
): Promise<T> {
  const made = await client.create<T>(kind, object).then(undefined, (thrown) => {
    if (isAlreadyExists(thrown)) return undefined
    throw thrown
  })
  const { name, namespace } = object.metadata
  return made ?? client.get<T>(kind, name, namespace)
}

/** One that is gone already is as wanted. */
export async function removeObject(
  client: Pick<KubeClient, 'delete'>,
  kind: Kind,
  ref: Ref,
  options: DeleteOptions = {},
): Promise<void> {
  await client.delete(kind, ref, options).then(undefined, (thrown) => {
    if (!isNotFound(thrown)) throw thrown
  })
}
