import { answersPrefix, callerOfTopic } from '@bourse/contract/mqtt'
import type { IPublishPacket } from 'mqtt'
import { isClusterId } from '../../http/callers/caller.ts'

/** A call that can be answered. */
export type Addressed = Readonly<{
  id: string
  answersTo: string
  correlationData: Buffer | undefined
}>
export type Unanswerable = Readonly<{ id: string; reason: string }>

/** Enough for any client id and any number; it is sent back as it came. */
const CLIENT_FORM = /^[\w.:-]{1,128}$/
const CORRELATION_BYTES_MAX = 1_024

/**
 * The caller, and where the answer goes. Undefined: it is not a call. A topic with
 * a wildcard or a control character would end our own connection, so none of those is written to.
 */
export function readAddress(
  topic: string,
  { retain, properties = {} }: Pick<IPublishPacket, 'retain' | 'properties'>,
): Addressed | Unanswerable | undefined {
  const id = callerOfTopic(topic)
  // What was kept from before is no question of today.
  if (retain || !isClusterId(id)) return undefined
  const { responseTopic: answersTo = '', correlationData } = properties
  const prefix = answersPrefix(id)
  if (!answersTo.startsWith(prefix) || !CLIENT_FORM.test(answersTo.slice(prefix.length)))
    return { id, reason: `its response topic is not ${prefix} and a name of up to 128 characters` }
  if (correlationData && correlationData.length > CORRELATION_BYTES_MAX)
    return { id, reason: `its correlation data is longer than ${CORRELATION_BYTES_MAX} bytes` }
  // A copy: the original is a part of the packet, and would keep all of it.
  return { id, answersTo, correlationData: correlationData && Buffer.from(correlationData) }
}
