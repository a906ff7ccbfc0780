/*
 * Which cluster gets a request, and why: pure functions of a request and a board of clusters.
 *
 *   decide.ts   begin here: `decide` chooses, `rank` shows the same choice as a table
 *   filters/    which clusters are refused, a file for each reason
 *   scorers/    which of the others is best, a file for each merit; policy.ts has their weights
 *   board/      the clusters as columns of numbers, laid out for scanning
 *   selection/  the first few of many, without sorting all
 *   memo.ts     keeps the judgement of equal requests; the result is the same to the last bit
 *   decision/   what is said of a choice: scores, refusals, sentences
 *   why-sentence.ts  the sum behind a score, and what put the first before the second
 */
export * from './board/board.ts'
export { coarseBoard, coarseRefusals, type IsHidden } from './board/coarse-board.ts'
export {
  type ClusterFacts,
  createBoard,
  type Holding,
  type WritableBoard,
} from './board/create-board.ts'
export { priceFor } from './board/price.ts'
export * from './decide.ts'
export * from './decision/base-score.ts'
export * from './decision/decision.ts'
export * from './decision/explain-sentence.ts'
export { shortOnNode } from './decision/room.ts'
export * from './rules.ts'
export * from './scorers/policy.ts'
export { type Candidate, leadSentence, sumSentence, whySentence } from './why-sentence.ts'
