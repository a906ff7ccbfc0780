import { type ClusterFacts, createBoard, type WritableBoard } from './create-board.ts'

export type Clusters = Readonly<Record<string, Partial<ClusterFacts>>>

/** Clusters of ten free cores each, unless told otherwise. */
export function aBoard(clusters: Clusters): WritableBoard {
  const board = createBoard()
  for (const [clusterId, facts] of Object.entries(clusters)) {
    const allocatable = facts.allocatable ?? { cpu: 10_000n }
    board.place(clusterId, {
      marks: 0,
      liveCount: 0,
      allocatable,
      available: facts.available ?? allocatable,
      ...facts,
    })
  }
  return board
}
