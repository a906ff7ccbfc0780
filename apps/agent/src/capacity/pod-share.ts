import type { Resources } from '@bourse/domain/quantity'
import { keyOf } from '@bourse/kube'
import { createAmountReader } from './amounts.ts'
import { hasEnded, type PodObject } from './objects.ts'
import { podRequests } from './pod-requests.ts'

/** All that is kept of a pod: what it takes, where, and for whom. */
export type PodShare = Readonly<{
  node: string
  requests: Resources
  /**
   * Its `CREATOR_LABEL`, if it is offloaded. For a placeholder of ours
   * `bourse-placeholder/<reservation>`, which no label can be.
   */
  creatorUser: string | undefined
  problem: string | undefined
}>

export type PodReader = (pod: PodObject) => PodShare | undefined

/** Which user created an offloaded pod; Liqo's webhook writes it, a requester cannot. */
export const CREATOR_LABEL = 'liqo.io/creator-user'
export const PLACEHOLDER_USER = 'bourse-placeholder'
/** On a pod that keeps room for a reservation until pods come that run for it. */
export const PLACEHOLDER_LABEL = 'bourse.dev/placeholder-for'

/**
 * Reads pods into shares; equal amounts and names are kept once, however many pods have them.
 * Placeholders count only in their own namespace: any user can put a label on a pod.
 */
export function createPodReader(placeholders?: string): PodReader {
  const reader = createAmountReader()
  const internName = createIntern<string>()
  const internVector = createIntern<Resources>()

  return (pod) => {
    const node = pod.spec?.nodeName
    if (!node || hasEnded(pod)) return undefined
    const problems: string[] = []
    const requests = podRequests(pod, reader, (name, reason) => problems.push(`${name}: ${reason}`))
    const creatorUser = placeholderUserOf(pod, placeholders) ?? creatorUserOf(pod)
    return {
      node: internName(node, node),
      requests: internVector(keyOfVector(requests), requests),
      creatorUser: creatorUser && internName(creatorUser, creatorUser),
      problem: problems.length > 0 ? sentence(pod, problems) : undefined,
    }
  }
}

export function isSameShare(left: PodShare, right: PodShare): boolean {
  return (
    left.node === right.node &&
    left.creatorUser === right.creatorUser &&
    left.problem === right.problem &&
    (left.requests === right.requests || keyOfVector(left.requests) === keyOfVector(right.requests))
  )
}

function placeholderUserOf(
  { metadata: { labels, namespace } }: PodObject,
  placeholders: string | undefined,
): string | undefined {
  if (placeholders === undefined || namespace !== placeholders) return undefined
  const reservation = labels?.[PLACEHOLDER_LABEL]
  return reservation && `${PLACEHOLDER_USER}/${reservation}`
}

function creatorUserOf({ metadata: { labels } }: PodObject): string | undefined {
  if (labels?.['liqo.io/managed-by'] !== 'shadowpod') return undefined
  return labels[CREATOR_LABEL] || undefined
}

function keyOfVector(requests: Resources): string {
  let key = ''
  for (const name in requests) key += `${name}=${requests[name]} `
  return key
}

function sentence(pod: PodObject, problems: readonly string[]): string {
  const [first] = problems
  return `Pod ${keyOf(pod.metadata)} has a request that cannot be read (${first}): its node counts as having none of that free until the pod is fixed or gone.`
}

/** Far more than a cluster has of different requests or node names. */
const ENTRIES_MAX = 20_000

/** The first value of a key stands for all later ones, so that a hundred thousand pods share it. */
function createIntern<T>(): (key: string, value: T) => T {
  const values = new Map<string, T>()
  return (key, value) => {
    const known = values.get(key)
    if (known !== undefined) return known
    // Values in use stay alive; only the sharing restarts.
    if (values.size >= ENTRIES_MAX) values.clear()
    values.set(key, value)
    return value
  }
}
