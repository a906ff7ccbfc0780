import type { Actor } from '@bourse/domain/ledger'
import type { KubeObject } from '@bourse/kube'
import { DOOR, MIRROR_LABEL } from './kinds.ts'

/** Which object, and which version of it, we have seen. */
export type ObjectFacts = Readonly<{
  name: string
  namespace: string
  uid: string
  resourceVersion: string
  generation: number
  isDeleting: boolean
  finalizers: readonly string[]
  /** By its name, which only the broker may use: never a command. */
  isMirror: boolean
  /** By its label too: the broker made it, and may remove it. */
  isOurs: boolean
}>

export function factsOf({ metadata }: KubeObject, mirrorPrefix: string): ObjectFacts {
  const { name, namespace = '', uid = '', resourceVersion = '', generation = 0 } = metadata
  const isMirror = name.startsWith(mirrorPrefix)
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    isDeleting: metadata.deletionTimestamp !== undefined,
    finalizers: metadata.finalizers ?? [],
    isMirror,
    isOurs: isMirror && metadata.labels?.[MIRROR_LABEL] !== undefined,
  }
}

/** An object that is read as a command. */
export function objectActor({ namespace, name }: Pick<ObjectFacts, 'namespace' | 'name'>): Actor {
  return { kind: 'object', id: `${namespace}/${name}`, door: DOOR }
}

/**
 * Versions of one resource grow with every write. Ours may be back from the server before the
 * watch tells of it, so that two copies meet here.
 */
export function isNotOlder(one: ObjectFacts, other: ObjectFacts): boolean {
  return one.uid !== other.uid || versionOf(one) >= versionOf(other)
}

function versionOf({ resourceVersion }: ObjectFacts): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n
}
