/** A resource of the API server, as its address and its manifests name it. */
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
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
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

/** Which object; an object's own metadata is one. */
export type Ref = Readonly<{ name: string; namespace?: string | undefined }>

/** `bookmark`: nothing changed, but everything up to this version has been told. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | Readonly<{ type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }>
  | Readonly<{
      type: 'BOOKMARK'
      resourceVersion: string
      /** All that was there when the watch began has been told. */
      endsInitialEvents?: boolean
    }>

/** `namespace/name`, or the name alone where there is no namespace. */
export function keyOf({ namespace, name }: Ref): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

export function refOf(key: string): Ref {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`
}
