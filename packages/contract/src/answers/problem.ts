import { z } from 'zod'
import { RankingRow, RefusalReason } from '../bodies/explanation.ts'
import { errorCodes } from './error-codes.ts'

export const ProblemField = z.object({ path: z.string(), message: z.string() }).meta({
  id: 'ProblemField',
  example: { path: 'requestedResources.cpu', message: "'-1' is negative" },
})
export type ProblemField = z.infer<typeof ProblemField>

// `Object.keys` forgets that these are the table's own keys.
const codes = Object.keys(errorCodes) as [keyof typeof errorCodes, ...(keyof typeof errorCodes)[]]

export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(codes),
    error: z.string().meta({ description: 'The detail again, for agents of the Go original.' }),
    fields: z.array(ProblemField).optional(),
    explanation: z
      .object({
        refused: z.partialRecord(RefusalReason, z.int()),
        rows: z.array(RankingRow),
      })
      .optional()
      .meta({ description: 'With NoClusterFits: why, for the clusters that came nearest.' }),
  })
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>
