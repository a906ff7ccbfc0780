import { randomBytes } from 'node:crypto'
import { callerOfTopic, decodeCall } from '@bourse/contract/mqtt'
import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import type { Logger } from 'pino'
import { type FairShare, LARGE_BODY_BYTES } from '../../fair-share/index.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'
import type { CarrierLimits } from '../relay/carrier-limits.ts'
import { type CarriedShare, chargeCarried, type Message } from '../relay/charge-carried.ts'
import type { Relay } from '../relay/create-relay.ts'
import { refusal, whyTooLong } from '../relay/refusal.ts'
import type { Addressed, Unanswerable } from './read-call.ts'

type Ports = Readonly<{
  relay: Pick<Relay, 'ask'>
  limits: CarrierLimits
  share: CarriedShare & Pick<FairShare, 'line'>
  /** Settles when the MQTT server has the answer, or never will. */
  answer(call: Addressed, answer: RelayedAnswer): Promise<void>
  /** A call of so many bytes was refused before it was parsed. */
  onRefused(bytes: number): void
  /** Whether a complaint about this cluster is due. */
  isDue(clusterId: string): boolean
  /** Ends calls that wait. */
  signal: AbortSignal
  log: Logger
}>

/** Calls by MQTT: each is charged before it is parsed, and counted until its answer has left. */
export function createHearing(ports: Ports) {
  const { relay, limits, share, answer, onRefused, isDue, signal, log } = ports
  const charges = chargeCarried(share)
  // At random, so that no caller can send it.
  const note = randomBytes(16)

  return { hear, leaving: { bytesMax: LARGE_BODY_BYTES, isLeftOut, note } }

  /** A long call that its caller could not pay for is refused without having been received. */
  function isLeftOut(topic: string, bytes: number): boolean {
    return charges.lacks(callerOfTopic(topic), bytes)
  }

  /** Undefined: it is not answered, as that would cost what it is refused for. */
  function hear(call: Addressed | Unanswerable, payload: Buffer): Promise<void> | undefined {
    const { id } = call
    if ('reason' in call) {
      const { reason } = call
      return drop(call, payload, `a call by MQTT without a topic for its answer: ${reason}`)
    }
    const flooding = limits.take('streams', id)
    if (flooding) return drop(call, payload, flooding.message)
    return begin(call, payload).finally(() => limits.giveBack('streams', id))
  }

  function drop({ id }: Addressed | Unanswerable, { length }: Buffer, why: string): undefined {
    charges.spend(id)
    onRefused(length)
    if (isDue(id)) log.warn({ clusterId: id }, why)
  }

  function begin(call: Addressed, payload: Buffer): Promise<void> {
    const { id } = call
    if (payload.equals(note)) return refuse(call, charges.leftOut(id))
    const why = charges.take(id) ?? limits.take('calls', id)
    if (why) return refuse(call, why, payload.length)
    const message = charges.message(id)
    const tooMuch = message.hold(payload.length)
    const done = tooMuch
      ? refuse(call, tooMuch, payload.length)
      : carry(call, decode(id, payload, message))
    return done.finally(() => limits.giveBack('calls', id))
  }

  /** Perhaps later, and not at all if many wait for that already. `bytes`: not parsed. */
  function refuse(call: Addressed, why: BrokerError, bytes = 0): Promise<void> {
    onRefused(bytes)
    return new Promise((resolve) => {
      const tell = () => void answer(call, refusal(why)).then(resolve)
      if (!charges.refuse(call.id, { tell })) resolve()
    })
  }

  /** What a stranger sends is answered, and never the end of the broker. */
  async function carry(call: Addressed, decoded: Promise<RelayedCall>): Promise<void> {
    const { id } = call
    const caller = { id, isOperator: false }
    const asked = await decoded
      .then(async (asks) => ({ asks, told: await relay.ask(() => caller, asks, signal) }))
      .catch((thrown) => ({ asks: undefined, told: refusal(whyOf(id, thrown)) }))
    const { length } = asked.told.body
    const tooMuch = limits.take('bytes', id, length)
    // Only a question is refused afterwards: what was done must not look as if it was not.
    if (tooMuch && asked.asks?.method === 'GET') return refuse(call, tooMuch)
    await publish(call, asked.told)
    if (!tooMuch) limits.giveBack('bytes', id, length)
  }

  /** A long one when it is its caller's turn; another may begin before the server has it. */
  async function publish(call: Addressed, told: RelayedAnswer): Promise<void> {
    if (told.body.length <= LARGE_BODY_BYTES) return answer(call, told)
    const begin = () => ({ taken: answer(call, told) })
    const { taken } = await share.line.run(call.id, (timed) => timed(begin))
    return taken
  }

  /** Not async: its payload would be kept for as long as the call takes. */
  function decode(id: string, payload: Buffer, message: Message): Promise<RelayedCall> {
    const { length } = payload
    const parsed =
      length > LARGE_BODY_BYTES
        ? share.line.run(id, (timed) => timed(() => decodeCall(payload)))
        : new Promise<RelayedCall>((resolve) => resolve(decodeCall(payload)))
    return parsed
      .then((call) => {
        const tooLong = whyTooLong(call.method, length)
        if (tooLong) throw tooLong
        return call
      })
      .finally(message.letGo)
  }

  function whyOf(clusterId: string, thrown: unknown): BrokerError {
    if (thrown instanceof BrokerError) return thrown
    if (thrown instanceof SyntaxError) return new BrokerError('MalformedJson', thrown.message)
    if (signal.aborted) return new BrokerError('Unavailable', 'The broker stops.')
    if (isDue(clusterId)) log.error({ err: thrown, clusterId }, 'a call by MQTT failed')
    return new BrokerError('InternalError')
  }
}
