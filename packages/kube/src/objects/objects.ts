/** A resource type of the API server. */
export type Kind = Readonly<{
  /** Empty for the core group. */
  group: string
  version: string
  plural: string
  kind: string
  namespaced: boolean
}>

export type OwnerReference = Readonly<{
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}>

export type ObjectMeta = Readonly<{
  name: string
  generateName?: string
  namespace?: string
  /** Never reused, unlike a name. */
  uid?: string
  /** Changes with every write. */
  resourceVersion?: string
  /** Changes with every write of spec. */
  generation?: number
  creationTimestamp?: string
  /** Set: the object goes once its finalizers are removed. */
  deletionTimestamp?: string
  labels?: Readonly<Record<string, string>>
  annotations?: Readonly<Record<string, string>>
  finalizers?: readonly string[]
  ownerReferences?: readonly OwnerReference[]
}>

export type KubeObject<Spec = unknown, Status = unknown> = Readonly<{
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec?: Spec
  status?: Status
}>

/** Names an object; its own metadata is a valid Ref. */
export type Ref = Readonly<{ name: string; namespace?: string | undefined }>

/** `BOOKMARK`: nothing changed, but all events up to this version have been sent. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | Readonly<{ type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }>
  | Readonly<{
      type: 'BOOKMARK'
      resourceVersion: string
      /** All objects that existed when the watch began have been sent. */
      endsInitialEvents?: boolean
    }>

/** `namespace/name`, or the name alone where there is no namespace. */
export function keyOf({ namespace, name }: Ref): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`
}
