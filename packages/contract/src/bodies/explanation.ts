import { z } from 'zod'
import { ClusterId, Moment, Quantities } from '../fields/quantities.ts'
import { HourlyPrice, LARGEST_NODE, Unpriced } from './reservation.ts'

const Score = z.string().meta({ description: '0 to 100, two decimals.', example: '71.43' })
const Band = z.enum(['excellent', 'good', 'moderate', 'limited'])

export const RefusalReason = z.enum([
  'IsRequester',
  'NotTheTarget',
  'Stale',
  'Cordoned',
  'Withdrawn',
  'Insufficient',
  'NoNodeFits',
])
export type RefusalReason = z.infer<typeof RefusalReason>

/** One cluster's row. A number that the caller may not see is absent, never zero. */
export const RankingRow = z
  .object({
    clusterID: ClusterId,
    verdict: z.enum(['chosen', 'candidate', 'refused']),
    reason: RefusalReason.optional(),
    message: z.string(),
    score: Score.optional().meta({
      description: 'After this request; candidates only, whose numbers the caller may see.',
    }),
    band: Band.optional().meta({ description: 'Of the score; candidates only.' }),
    rounded: z
      .boolean()
      .optional()
      .meta({
        description:
          'The cluster hides its numbers from the caller: verdict and band follow from its amounts ' +
          'rounded down to two significant bits (4, 6, 8, 12, 16 …).',
      }),
    parts: z.record(z.string(), Score).optional().meta({ description: 'Each scorer, 0 to 100.' }),
    allocatable: Quantities.optional(),
    available: Quantities.optional(),
    largestNode: Quantities.optional().meta({ description: LARGEST_NODE }),
    shortfalls: z
      .array(z.object({ resource: z.string(), wanted: z.string(), available: z.string() }))
      .optional()
      .meta({ description: 'Where no node fits, `available` is what the largest node has.' }),
    price: HourlyPrice.optional().meta({
      description: 'What this request would cost here; of every candidate, also of a hidden one.',
    }),
    unpriced: Unpriced.optional(),
  })
  .meta({ id: 'RankingRow' })
export type RankingRow = z.infer<typeof RankingRow>

const AskedFor = z.object({
  requesterID: ClusterId,
  requestedResources: Quantities,
  targetClusterID: ClusterId.optional(),
  oneNode: z.boolean().optional(),
})

const refusedCounts = z
  .partialRecord(RefusalReason, z.int())
  .meta({ description: 'How many clusters were refused, by reason.' })

export const Evaluation = z
  .object({
    targetClusterID: z
      .string()
      .meta({ description: 'The cluster that would be chosen; empty if none.' }),
    policy: z.string(),
    request: AskedFor,
    summary: z.string(),
    refused: refusedCounts,
    rows: z.array(RankingRow),
  })
  .meta({ id: 'Evaluation' })
export type Evaluation = z.infer<typeof Evaluation>

export const Explanation = z
  .object({
    reservationID: z.string(),
    policy: z.string(),
    index: z.int().meta({ description: 'Journal index of the decision.' }),
    decidedAt: Moment,
    request: AskedFor,
    summary: z.string(),
    best: z.array(
      z.object({
        clusterID: ClusterId,
        score: Score.optional(),
        band: Band.optional(),
        parts: z.record(z.string(), Score).optional(),
      }),
    ),
    refused: refusedCounts.optional(),
    rows: z.array(RankingRow).optional().meta({
      description: 'The full table, recomputed by replay; absent where the journal is too short.',
    }),
    note: z.string().optional().meta({ description: 'Why there is no table, if there is none.' }),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof Explanation>
