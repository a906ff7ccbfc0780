import { coarseAmount, coarseResources } from '../../quantity/coarse-amount.ts'
import { amountOf } from '../../quantity/resources.ts'
import type { Ranking, RankingRow } from '../decision/decision.ts'
import type { Board, Column } from './board.ts'

/** Whether the reader of a ranking may not see a cluster's numbers. */
export type IsHidden = (clusterId: string) => boolean

export type CoarseBoard = Board & Readonly<{ isCoarse(slot: number): boolean }>

/**
 * The board with coarse amounts and no live counts for hidden clusters. A ranking on it is a
 * function of the coarse amounts, so that no series of questions tells more.
 */
export function coarseBoard(board: Board, isHidden: IsHidden): CoarseBoard {
  const { count, clusterIds } = board
  const hidden = new Uint8Array(count)
  const liveCounts = board.liveCounts.slice()
  for (let slot = 0; slot < count; slot += 1) {
    if (!isHidden(clusterIds[slot] ?? '')) continue
    hidden[slot] = 1
    liveCounts[slot] = 0
  }
  const columns = new Map<string, Column | undefined>()
  const isCoarse = (slot: number) => hidden[slot] === 1

  return {
    ...board,
    liveCounts,
    isCoarse,
    column,
    exact(slot) {
      const figures = board.exact(slot)
      if (!isCoarse(slot)) return figures
      const { allocatable, available, largestFit, nodeFit } = figures
      return {
        ...figures,
        allocatable: coarseResources(allocatable),
        available: coarseResources(available),
        ...(largestFit && { largestFit: coarseResources(largestFit) }),
        ...(nodeFit && { nodeFit: coarseResources(nodeFit) }),
      }
    },
  }

  function column(resource: string): Column | undefined {
    if (!columns.has(resource)) columns.set(resource, coarseColumn(resource))
    return columns.get(resource)
  }

  function coarseColumn(resource: string): Column | undefined {
    const column = board.column(resource)
    if (column === undefined) return undefined
    const available = column.available.slice()
    const unitShare = column.unitShare.slice()
    for (let slot = 0; slot < count; slot += 1) {
      if (!isCoarse(slot)) continue
      const figures = board.exact(slot)
      const all = coarseAmount(resource, amountOf(figures.allocatable, resource))
      available[slot] = Number(coarseAmount(resource, amountOf(figures.available, resource)))
      unitShare[slot] = all > 0n ? 1 / Number(all) : 0
    }
    return { available, unitShare }
  }
}

/**
 * A refusal decided on exact amounts, with coarse ones for hidden clusters. Rounded down, a cluster
 * lacks all that it really lacks, and maybe more. Of its nodes only the verdict is told: which
 * resource they lack depends on exact amounts.
 */
export function coarseRefusals(ranking: Ranking, isHidden: IsHidden): Ranking {
  const { wanted } = ranking.request
  const rows = ranking.rows.map(({ largestNode, ...row }): RankingRow => {
    if (!isHidden(row.clusterId)) return largestNode ? { ...row, largestNode } : row
    const available = coarseResources(row.available)
    const coarse = {
      ...row,
      available,
      allocatable: coarseResources(row.allocatable),
      isCoarse: true as const,
    }
    if (!row.shortfalls) return coarse
    const lacking = row.refusal === 'NoNodeFits' ? {} : available
    return { ...coarse, shortfalls: shortfallsOf(wanted, lacking) }
  })
  return { ...ranking, rows }
}

/** The wanted resources of which a cluster has too little. */
export function shortfallsOf(
  wanted: Ranking['request']['wanted'],
  available: RankingRow['available'],
): NonNullable<RankingRow['shortfalls']> {
  return Object.keys(wanted)
    .map((resource) => ({
      resource,
      wanted: amountOf(wanted, resource),
      available: amountOf(available, resource),
    }))
    .filter((one) => one.wanted > one.available)
}
