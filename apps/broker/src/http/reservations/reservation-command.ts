import {
  IDEMPOTENCY_HEADER,
  REQUEST_ID_LENGTH_MAX,
  type ReservationRequest,
} from '@bourse/contract'
import type { ReserveCommand } from '@bourse/domain/ledger'
import { countedPriority, type RequestLimits } from '../../intake/read-request.ts'
import { type Caller, DOOR, isClusterId } from '../callers/caller.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { createFieldCheck, type FieldCheck } from '../errors/field-check.ts'
import { createTermsReader } from './terms-reader.ts'

type Asked = Readonly<{
  body: ReservationRequest
  caller: Caller
  /** The Idempotency-Key header. */
  key?: string | undefined
}>

/** Space to tilde: what a header can carry, so that body and header mean the same. */
const PRINTABLE = /^[\x20-\x7e]+$/

/** For ids from an address, which may be long. */
const QUOTED_LENGTH_MAX = 64

type ToReserveCommand = (asked: Asked) => ReserveCommand

/** Makes commands of posted requests; throws with every bad field named. */
export function createRequestReader(limits: RequestLimits): ToReserveCommand {
  const termsOf = createTermsReader(limits)

  return ({ body, caller, key }) => {
    const check = createFieldCheck()
    const requester = requesterOf(body.requesterID, caller, check)
    const { terms, fingerprint } = termsOf(body, check)
    const requestId = requestIdOf(body, key, check)
    if (body.queue) check.add('queue', 'queueing is not supported yet: leave it out')
    check.done()

    const priority = caller.isOperator ? terms.priority : countedPriority(terms.priority, limits)
    if (requestId === undefined)
      return { kind: 'reserve', door: DOOR, requester, ...terms, priority }
    return { kind: 'reserve', door: DOOR, requester, requestId, fingerprint, ...terms, priority }
  }
}

/** Operators may act for others; any other caller acts for the cluster in its certificate. */
export function requesterOf(
  written: string | null | undefined,
  { id, isOperator }: Caller,
  check: FieldCheck,
): string {
  const requester = written || id
  if (!isOperator && requester !== id)
    throw new BrokerError('NotYours', `The certificate is ${id}'s; it cannot act for ${requester}.`)
  if (!isClusterId(requester)) check.add('requesterID', whyInvalid(written, id))
  return requester
}

function whyInvalid(written: string | null | undefined, id: string): string {
  if (!written)
    return `name the cluster to act for: ${JSON.stringify(id)} is not a valid cluster id`
  const shown = JSON.stringify(written.slice(0, QUOTED_LENGTH_MAX))
  return `${shown} is not a valid cluster id: name the cluster as its certificate does, such as rome`
}

function requestIdOf(
  body: ReservationRequest,
  inHeader: string | undefined,
  check: FieldCheck,
): string | undefined {
  const inBody = body.requestId || undefined
  if (inBody !== undefined && inHeader && inBody !== inHeader)
    check.add('requestId', `'${inBody}' and the header Idempotency-Key '${inHeader}' differ`)
  const requestId = inBody ?? (inHeader || undefined)
  if (requestId !== undefined) checkRequestId(requestIdPath(body), requestId, check)
  return requestId
}

/** Where the request id was written: the body goes before the header. */
export function requestIdPath({ requestId }: ReservationRequest): string {
  return requestId ? 'requestId' : IDEMPOTENCY_HEADER
}

export function checkRequestId(path: string, requestId: string, check: FieldCheck): void {
  if (requestId.length > REQUEST_ID_LENGTH_MAX)
    check.add(path, `is longer than ${REQUEST_ID_LENGTH_MAX} characters`)
  else if (!PRINTABLE.test(requestId)) check.add(path, 'must be printable ASCII characters')
}
