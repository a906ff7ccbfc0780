import {
  describeResources,
  readablePair,
  spokenAmount,
  spokenName,
} from '../../quantity/print-resources.ts'
import { amountOf, type Resources } from '../../quantity/resources.ts'
import { type Ranking, type RankingRow, REFUSAL_CODES, type RefusalCode } from './decision.ts'

export type Telling = Readonly<{
  /** Whether the reader may see this cluster's numbers. Absent: of every cluster. */
  numbersOf?: (clusterId: string) => boolean
  /** The alias names the reader used for resources. */
  aliases?: readonly string[]
}>

/** A summary names so many clusters and counts the others. */
const NAMED_MAX = 3

const PLAIN: Readonly<Record<Exclude<RefusalCode, 'Insufficient' | 'NoNodeFits'>, string>> = {
  Stale: 'is stale',
  Cordoned: 'is cordoned',
  Withdrawn: 'is withdrawn',
  NotTheTarget: 'is not the wanted provider',
  IsRequester: 'is the requester itself',
}

/** Why a cluster was refused: `paris has 5 cpu, 8 wanted`. Empty if it was not. */
export function refusalSentence(row: RankingRow, telling: Telling = {}): string {
  return sentence(row, telling, 'with what is wanted')
}

/** What a request beyond every single node is told: `largest free node: 1 CPU`. */
export function largestNodeSentence(
  largestNode: Resources,
  { isRounded }: Readonly<{ isRounded: boolean }> = { isRounded: false },
): string {
  const amounts = Object.entries(largestNode).map(([name, most]) => spokenAmount(name, most))
  return `largest free node: ${isRounded ? 'about ' : ''}${amounts.join(', ')}`
}

/**
 * Why nothing could be chosen:
 * `No cluster can hold 8 cpu for rome (insufficient capacity): paris has 5 cpu, berlin is stale`
 */
export function summarySentence(ranking: Ranking, telling: Telling = {}): string {
  const { wanted, requester, pinned, oneNode } = ranking.request
  const cannot = pinned === undefined ? 'No cluster can' : `${pinned} cannot`
  const amounts = describeResources(wanted, telling.aliases)
  const what = oneNode ? `${amounts} on one node` : amounts
  const lack = countOf(ranking, 'Insufficient') > 0 ? ' (insufficient capacity)' : ''
  return `${cannot} hold ${what} for ${requester}${lack}: ${reasons(ranking, telling)}`
}

function reasons(ranking: Ranking, telling: Telling): string {
  const { pinned, requester } = ranking.request
  // The requester, and the clusters beside a pinned one, were never candidates.
  const telltale = ranking.rows.filter(({ refusal }) => refusal !== undefined && isTelling(refusal))
  if (telltale.length === 0) {
    if (pinned === undefined) return 'no other cluster has advertised'
    return pinned === requester ? 'it is the requester itself' : 'it is not known here'
  }
  const named = telltale.slice(0, NAMED_MAX)
  const more = TELLING.reduce((sum, code) => sum + countOf(ranking, code), 0) - named.length
  const list = named.map((row) => sentence(row, telling, 'short')).join(', ')
  return more > 0 ? `${list} (and ${more} more)` : list
}

function isTelling(code: RefusalCode): boolean {
  return code !== 'NotTheTarget' && code !== 'IsRequester'
}

const TELLING = REFUSAL_CODES.filter(isTelling)

function countOf({ rows, leftOut }: Ranking, code: RefusalCode): number {
  return rows.filter(({ refusal }) => refusal === code).length + (leftOut?.refused[code] ?? 0)
}

type Length = 'short' | 'with what is wanted'

function sentence(row: RankingRow, telling: Telling, length: Length): string {
  if (row.refusal === undefined) return ''
  const { numbersOf = () => true, aliases = [] } = telling
  // Coarse amounts prove that one of these is short, not that all are.
  const isTold = row.isCoarse !== true && numbersOf(row.clusterId)
  if (row.refusal === 'NoNodeFits') return nodeSentence(row, isTold)
  if (row.refusal !== 'Insufficient') return `${row.clusterId} ${PLAIN[row.refusal]}`
  const shortfalls = row.shortfalls ?? []
  const names = shortfalls.map(({ resource }) => spokenName(resource, aliases))
  if (!isTold) return `${row.clusterId} has too little ${names.join(' or ')}`

  const parts = shortfalls.map(({ resource, wanted, available }, at) => {
    const [free, asked] = readablePair(resource, available, wanted)
    const has = `${available === 0n ? 'no' : free} ${names[at]}`
    return length === 'short' ? has : `${has}, ${asked} wanted`
  })
  return `${row.clusterId} has ${parts.join(length === 'short' ? ' and ' : '; ')}`
}

/** `paris has 24 GPUs free, and no node with 8 at once` */
function nodeSentence({ clusterId, ...row }: RankingRow, isTold: boolean): string {
  const { shortfalls = [], available, largestNode = {} } = row
  if (!isTold) {
    const asked = shortfalls.map(({ resource, wanted }) => spokenAmount(resource, wanted))
    return `${clusterId} has no node with ${asked.join(', ')} at once`
  }
  const parts = shortfalls.map(({ resource, wanted }) => {
    // Enough was advertised: it may be gone by what was granted since.
    const until = Object.hasOwn(largestNode, resource) ? '' : ' until it advertises again'
    const free = spokenAmount(resource, amountOf(available, resource))
    return `${free} free, and no node with ${countOnly(resource, wanted)} at once${until}`
  })
  return `${clusterId} has ${parts.join('; ')}`
}

/** `8` of `8 GPUs`. */
function countOnly(resource: string, amount: bigint): string {
  return spokenAmount(resource, amount).split(' ')[0] ?? ''
}
