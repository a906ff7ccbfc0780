import type { ClusterCard } from '@bourse/contract/dashboard'
import { resourceLabel } from '../format/amount.ts'

/** Words as typed. A cluster is found if each of them occurs in something that it says. */
export const wordsOf = (search: string): readonly string[] =>
  search.toLowerCase().split(/\s+/).filter(Boolean)

export function isFound(cluster: ClusterCard, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const said = sayingsOf(cluster).join('\n').toLowerCase()
  return words.every((word) => said.includes(word))
}

/** Labels and GPU models that have one of the words: a row does not show them otherwise. */
export function foundTags(cluster: ClusterCard, words: readonly string[]): readonly string[] {
  return tagsOf(cluster).filter((tag) => words.some((word) => tag.toLowerCase().includes(word)))
}

function sayingsOf(cluster: ClusterCard): readonly string[] {
  const { clusterId, name, location = '', resources } = cluster
  const offered = Object.keys(resources).filter((one) => (resources[one]?.allocatable ?? 0) > 0)
  return [
    clusterId,
    name,
    location,
    ...offered,
    ...offered.map(resourceLabel),
    ...tagsOf(cluster),
    ...statesOf(cluster),
  ]
}

function tagsOf({ labels = {}, gpuModels = {} }: ClusterCard): readonly string[] {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
  return [...pairs, ...Object.keys(gpuModels)]
}

/** As its badges say them. */
function statesOf(cluster: ClusterCard): readonly string[] {
  const { accepting, isStale, isOvercommitted, unpriced } = cluster
  return [
    accepting,
    isStale ? 'stale' : '',
    isOvercommitted ? 'overcommitted' : '',
    unpriced === undefined ? '' : 'unpriced',
  ]
}
