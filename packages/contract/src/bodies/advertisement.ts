import { z } from 'zod'
import {
  CLUSTER_ID_LENGTH_MAX,
  CLUSTER_ID_PATTERN,
  CLUSTER_NAME_LENGTH_MAX,
  ENDPOINT_URL_LENGTH_MAX,
  GPU_MODEL_LENGTH_MAX,
  GPU_MODELS_MAX,
  GRACE_DEFAULT,
  LABEL_NAME_LENGTH_MAX,
  LABEL_VALUE_LENGTH_MAX,
  LABELS_MAX,
  LOCATION_LENGTH_MAX,
  PROBLEM_FIELDS_MAX,
  USED_MAX,
} from '../fields/limits.ts'
import { PRINTABLE_PATTERN } from '../fields/printable.ts'
import { ClusterId, Grace, Moment, Quantities, QuantitiesInput } from '../fields/quantities.ts'
import {
  ENDPOINT_PATTERN,
  LABEL_NAME_PATTERN,
  PRICE_PATTERN,
  plainJson,
  plainObjectForm,
  stated,
} from '../fields/stated.ts'
import { Reservation, Unpriced } from './reservation.ts'

const printable = stated({ pattern: PRINTABLE_PATTERN })
const amount = z
  .union([
    z.string().meta(stated({ pattern: PRICE_PATTERN })),
    z.number().meta(stated({ type: 'integer', minimum: 0, maximum: 999_999_999 })),
    z.null(),
  ])
  .optional()

export const CostInput = z
  .looseObject({
    cpuCost: amount.meta({ description: 'Per core-hour, a decimal string.' }),
    memoryCost: amount.meta({ description: 'Per GiB-hour, a decimal string.' }),
    gpuCost: amount.meta({ description: 'Per GPU-hour, a decimal string.' }),
    currency: z
      .string()
      .max(16)
      .nullish()
      .meta(stated({ type: 'string', minLength: 1, pattern: PRINTABLE_PATTERN })),
  })
  .nullable()
  .meta({
    id: 'CostInput',
    description: 'Prices, each of which needs the currency.',
    example: { cpuCost: '0.04', memoryCost: '0.005', currency: 'USD' },
    ...stated({
      dependentRequired: {
        cpuCost: ['currency'],
        memoryCost: ['currency'],
        gpuCost: ['currency'],
      },
    }),
  })

/** What an agent posts. Unknown fields are ignored and named in the answer: it may be newer. */
export const AdvertisementInput = z
  .looseObject({
    clusterID: z
      .string()
      .max(CLUSTER_ID_LENGTH_MAX)
      .regex(new RegExp(CLUSTER_ID_PATTERN))
      .meta({ description: 'Must equal the Common Name of the client certificate.' }),
    clusterName: z.string().max(CLUSTER_NAME_LENGTH_MAX).nullish().meta(printable),
    resources: z.looseObject({
      capacity: QuantitiesInput,
      allocatable: QuantitiesInput.optional().meta({ description: 'Default: capacity.' }),
      allocated: QuantitiesInput.optional().meta({ description: 'Default: nothing.' }),
      reserved: QuantitiesInput.optional().meta({ description: 'Checked, then ignored.' }),
      available: QuantitiesInput.optional().meta({ description: 'Checked, then ignored.' }),
    }),
    timestamp: z
      .string()
      .nullish()
      .meta({ description: 'Ignored: the time of arrival counts.', ...printable }),
    cost: CostInput.optional(),
    endpointURL: z
      .string()
      .max(ENDPOINT_URL_LENGTH_MAX)
      .nullish()
      .meta({ description: 'https.', ...stated({ pattern: ENDPOINT_PATTERN }) }),
    labels: z
      .record(
        z.string().max(LABEL_NAME_LENGTH_MAX),
        z.string().max(LABEL_VALUE_LENGTH_MAX).meta(printable),
      )
      .meta({
        maxProperties: LABELS_MAX,
        ...stated({ propertyNames: { pattern: LABEL_NAME_PATTERN } }),
      })
      .nullish(),
    location: z
      .union([
        z.string().max(LOCATION_LENGTH_MAX).meta(printable),
        z.looseObject({}).meta(stated(plainObjectForm)),
        z.null(),
      ])
      .optional(),
    used: z
      .record(z.string(), QuantitiesInput)
      .meta({
        maxProperties: USED_MAX,
        ...stated({ propertyNames: { pattern: PRINTABLE_PATTERN } }),
      })
      .nullish()
      .meta({ description: 'The part of `allocated` that runs for each reservation, by its id.' }),
    seenIndex: z
      .int()
      .min(0)
      .nullish()
      .meta({ description: 'The index of the last answer whose instructions the agent applied.' }),
    visibility: z.enum(['full', 'summary']).nullish().meta({
      description:
        'Whether others see its numbers, or only verdicts and bands by rounded ones (`summary`, default).',
    }),
    largestFit: QuantitiesInput.optional().meta({
      description:
        'The most of each resource that is free on a single node: ten nodes with one CPU each are ' +
        'not one node with ten.',
    }),
    gpuModels: z
      .record(z.string().max(GPU_MODEL_LENGTH_MAX), z.int().min(0))
      .meta({
        maxProperties: GPU_MODELS_MAX,
        ...stated({
          propertyNames: { pattern: PRINTABLE_PATTERN, maxLength: GPU_MODEL_LENGTH_MAX },
        }),
      })
      .nullish()
      .meta({ description: 'GPUs by model, as the nodes name them.' }),
    liqo: z
      .unknown()
      .optional()
      .meta({ description: 'Carried as it is, at most 64 KiB.', ...stated(plainJson) }),
  })
  .meta({ id: 'AdvertisementInput' })
export type AdvertisementInput = z.input<typeof AdvertisementInput>

export const Cost = z
  .object({
    cpuCost: z.string().optional(),
    memoryCost: z.string().optional(),
    gpuCost: z.string().optional(),
    currency: z.string(),
  })
  .meta({ id: 'Cost' })
export type Cost = z.infer<typeof Cost>

export const ClusterStatus = z
  .object({
    phase: z.enum(['Active', 'Stale']),
    accepting: z.enum(['open', 'cordoned', 'withdrawn']),
    score: z.string().meta({ description: 'Base score without a request, two decimals.' }),
    band: z.enum(['excellent', 'good', 'moderate', 'limited']),
    overcommitted: z.boolean(),
    unpriced: Unpriced.optional(),
    liveReservations: z.int(),
    lastSeenAt: Moment,
    changedAt: Moment,
    withdrawnAt: Moment.optional(),
  })
  .meta({ id: 'ClusterStatus' })
export type ClusterStatus = z.infer<typeof ClusterStatus>

/** What the broker answers: what the agent sent, with the broker's `reserved`, `available`, `status`. */
export const Advertisement = z
  .object({
    clusterID: ClusterId,
    clusterName: z.string(),
    resources: z.object({
      capacity: Quantities,
      allocatable: Quantities,
      allocated: Quantities,
      reserved: Quantities,
      available: Quantities,
    }),
    timestamp: Moment.meta({ description: 'When the last advertisement arrived.' }),
    cost: Cost.optional(),
    endpointURL: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    location: z.union([z.string(), z.looseObject({})]).optional(),
    used: z.record(z.string(), Quantities).optional(),
    visibility: z.enum(['full', 'summary']).optional(),
    largestFit: Quantities.optional(),
    gpuModels: z.record(z.string(), z.int()).optional(),
    liqo: z.unknown().optional(),
    status: ClusterStatus,
  })
  .meta({ id: 'Advertisement' })
export type Advertisement = z.infer<typeof Advertisement>

export const AdvertisementReply = z
  .object({
    advertisement: Advertisement,
    providerInstructions: z.array(Reservation).optional(),
    ignored: z
      .array(z.string())
      .optional()
      .meta({
        description: `Fields of the advertisement that this broker does not know, at most ${PROBLEM_FIELDS_MAX}.`,
      }),
  })
  .meta({ id: 'AdvertisementReply' })
export type AdvertisementReply = z.infer<typeof AdvertisementReply>

export const AdvertisementList = z
  .object({ items: z.array(Advertisement), nextCursor: z.string().optional() })
  .meta({ id: 'AdvertisementList' })
export type AdvertisementList = z.infer<typeof AdvertisementList>

export const WithdrawInput = z
  .strictObject({
    grace: Grace.nullish().meta({
      description: `How long its reservations may continue; default ${GRACE_DEFAULT}, none is 0s.`,
    }),
  })
  .meta({ id: 'WithdrawInput' })
export type WithdrawInput = z.input<typeof WithdrawInput>
