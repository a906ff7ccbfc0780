import { BrokerError } from '../../http/errors/broker-error.ts'

/** A path, and what the caller has seen. */
const QUESTION_BYTES_MAX = 16 * 1024

/** A question may wait for its answer for a minute, and all that came with it would be kept. */
export function whyTooLong(method: string, bytes: number): BrokerError | undefined {
  if (method !== 'GET' || bytes <= QUESTION_BYTES_MAX) return undefined
  const detail = `A GET has at most ${QUESTION_BYTES_MAX / 1024} KiB here: it needs no body.`
  return new BrokerError('BodyTooLarge', detail)
}
