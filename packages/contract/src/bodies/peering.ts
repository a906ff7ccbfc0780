import { z } from 'zod'
import {
  CLUSTER_ID_PATTERN,
  SEALED_LENGTH_MAX,
  TROUBLE_MESSAGE_LENGTH_MAX,
  TROUBLE_REASON_PATTERN,
} from '../fields/limits.ts'
import { PRINTABLE_LINES_PATTERN, PRINTABLE_PATTERN } from '../fields/printable.ts'
import { ClusterId, Moment } from '../fields/quantities.ts'
import { stated } from '../fields/stated.ts'
import { PEERING_STEPS } from './peering-steps.ts'

export const PeeringStep = z.enum(PEERING_STEPS)
export type PeeringStep = z.infer<typeof PeeringStep>

export const PeeringRole = z.enum(['requester', 'provider'])
export type PeeringRole = z.infer<typeof PeeringRole>

export const PeeringNetworking = z.enum(['none', 'wireguard'])
export type PeeringNetworking = z.infer<typeof PeeringNetworking>

export const PeeringState = z.enum(['open', 'established', 'closing'])
export type PeeringState = z.infer<typeof PeeringState>

export const PeeringMessage = z
  .object({ sealed: z.string(), postedAt: Moment })
  .meta({ id: 'PeeringMessage' })
export type PeeringMessage = z.infer<typeof PeeringMessage>

export const PeeringTrouble = z
  .object({ reason: z.string(), message: z.string() })
  .meta({ id: 'PeeringTrouble', example: { reason: 'ApiServerUnreachable', message: '…' } })
export type PeeringTrouble = z.infer<typeof PeeringTrouble>

/** The messages of two agents through the broker, so that one can borrow from the other. */
export const PeeringSession = z
  .object({
    id: z.string(),
    requesterID: ClusterId,
    providerID: ClusterId,
    networking: PeeringNetworking,
    state: PeeringState.meta({
      description:
        '`ready` makes it established, and tenant, grant, gateway and tunnel are dropped; ' +
        '`goodbye` makes it closing.',
    }),
    messages: z
      .partialRecord(PeeringStep, PeeringMessage)
      .meta({ description: 'By step; sealed by one agent for the other.' }),
    steps: z
      .partialRecord(PeeringStep, Moment)
      .meta({ description: 'When each was last posted, also where the message was dropped.' }),
    trouble: z
      .partialRecord(PeeringRole, PeeringTrouble)
      .optional()
      .meta({ description: 'Why a side is stuck, until its next message.' }),
    openedAt: Moment,
    expiresAt: Moment.optional().meta({
      description:
        'Open: an hour after the last message. Established or closing: a day after the last live ' +
        'reservation of the pair ended; absent while there is one.',
    }),
  })
  .meta({ id: 'PeeringSession' })
export type PeeringSession = z.infer<typeof PeeringSession>

export const PeeringList = z
  .object({ items: z.array(PeeringSession), nextCursor: z.string().optional() })
  .meta({ id: 'PeeringList' })
export type PeeringList = z.infer<typeof PeeringList>

const Sealed = z
  .string()
  .min(1)
  .max(SEALED_LENGTH_MAX)
  .meta({
    description: 'Opaque to the broker: signed by the sender, for the other side to verify.',
    ...stated({ pattern: PRINTABLE_PATTERN }),
  })

export const PeeringOpening = z
  .strictObject({
    providerID: z.string().regex(new RegExp(CLUSTER_ID_PATTERN)),
    networking: PeeringNetworking,
    hello: Sealed,
  })
  .meta({
    id: 'PeeringOpening',
    example: { providerID: 'paris', networking: 'none', hello: 'eyJwYXlsb2FkIjoi…' },
  })
export type PeeringOpening = z.infer<typeof PeeringOpening>

export const PeeringPosting = z
  .strictObject({ step: PeeringStep, sealed: Sealed })
  .meta({ id: 'PeeringPosting', example: { step: 'nonce', sealed: 'eyJwYXlsb2FkIjoi…' } })
export type PeeringPosting = z.infer<typeof PeeringPosting>

export const PeeringTroubleInput = z
  .strictObject({
    reason: z.string().regex(new RegExp(TROUBLE_REASON_PATTERN)),
    message: z
      .string()
      .max(TROUBLE_MESSAGE_LENGTH_MAX)
      .meta(stated({ pattern: PRINTABLE_LINES_PATTERN })),
  })
  .meta({
    id: 'PeeringTroubleInput',
    example: { reason: 'ApiServerUnreachable', message: '192.0.2.7:6443 does not answer.' },
  })
export type PeeringTroubleInput = z.infer<typeof PeeringTroubleInput>
