import { REASON_HEADER, REASON_LENGTH_MAX } from '../answers/headers.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../fields/limits.ts'
import { DURATION_OR_NONE_PATTERN, indexForm } from '../fields/stated.ts'
import type { Parameter } from './endpoint.ts'

export const reservationId: Parameter = { name: 'id', in: 'path', description: 'Reservation id' }
export const clusterId: Parameter = { name: 'clusterID', in: 'path', description: 'Cluster id' }
/** Of what changes something for others. */
export const reason: Parameter = {
  name: REASON_HEADER,
  in: 'header',
  description: 'Why, in a line: it is kept and shown with what was done.',
  schema: { type: 'string', maxLength: REASON_LENGTH_MAX, pattern: '^[ -~]*$' },
}
export const waiting: readonly Parameter[] = [
  {
    name: 'wait',
    in: 'query',
    description:
      'Long poll: answer as soon as something differs, at the latest after this time (at most 1m).',
    example: '30s',
    schema: { type: 'string', pattern: DURATION_OR_NONE_PATTERN },
  },
  {
    name: 'after',
    in: 'query',
    description: 'The index to compare with: the Bourse-Index of an earlier answer.',
    example: '1042',
    schema: indexForm,
  },
]
export const whose: readonly Parameter[] = [
  { name: 'requesterID', in: 'query', description: 'Only those of this requester.' },
  { name: 'providerID', in: 'query', description: 'Only those with this provider.' },
]
export const paging: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: `Items on a page: default ${PAGE_SIZE_DEFAULT}, at most ${PAGE_SIZE_MAX}.`,
    schema: { type: 'integer', minimum: 1, maximum: PAGE_SIZE_MAX },
  },
  {
    name: 'cursor',
    in: 'query',
    description: 'The nextCursor of the previous page.',
  },
]
