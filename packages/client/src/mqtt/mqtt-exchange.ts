import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import {
  callsTopic,
  decodeAnswer,
  encodeCall,
  TOLD,
  TOLD_PATHS,
  type Told,
  toldTopic,
} from '@bourse/contract/mqtt'
import type { RelayedAnswer, RelayedCall } from '@bourse/contract/relayed'
import {
  BadAnswer,
  type BrokerFault,
  BrokerUnreachable,
  ClientClosed,
} from '../communicator/errors.ts'
import type { Clock } from '../communicator/retry.ts'
import type { SeenProofs } from '../communicator/seen-proofs.ts'
import { askInTurn } from '../http/ask-in-turn.ts'
import type { BrokerAddresses } from '../http/broker-addresses.ts'
import type { Call, Exchange } from '../http/exchange.ts'
import type { NameFault } from '../http/name-fault.ts'
import { createRelayedExchange, fromLeader, relayed, toReply } from '../relayed/relayed-exchange.ts'
import type { createMqttConnection, Message, MqttSession } from './mqtt-connection.ts'

type Connection = ReturnType<typeof createMqttConnection>
type Ports = Readonly<{
  connect(heard: (message: Message) => void, cut: () => void): Connection
  /** The MQTT servers, of which one is used at a time. */
  servers: BrokerAddresses
  clusterId: string
  closing: AbortSignal
  name: NameFault
  timeoutMs: number
  seen: SeenProofs
  clock: Clock
}>
type Waiting = Readonly<{ answer(answer: RelayedAnswer): void; fail(why: BrokerFault): void }>

/** After this long without a message the broker is asked again. */
const SILENCE_MS = 30_000

/** The calls of the REST API through an MQTT server, each with a response topic and an id. */
export function createMqttExchange(ports: Ports) {
  const { clusterId, closing, timeoutMs, seen, clock } = ports
  const { now } = clock
  const calls = new Map<string, Waiting>()
  const news = new EventEmitter<{ message: [Message]; cut: [] }>().setMaxListeners(0)
  const connection = ports.connect(heard, cut)
  const exchange: Exchange = { ...createRelayedExchange({ carry, timeoutMs, seen, now }), follow }
  closing.addEventListener('abort', () => failAll(new ClientClosed()))

  return { exchange, close: connection.close }

  /** Tries the next server if one is unreachable or has no broker connected. */
  async function carry(call: RelayedCall, options: Waits): Promise<RelayedAnswer> {
    const { signal } = options
    const reached = await askInTurn({ brokers: ports.servers, name, signal }, async ({ origin }) =>
      fromLeader(await carryBy(await sessionWith(origin), call, options), call),
    )
    return reached.answer
  }

  /** Without a session nothing can have been sent. */
  async function sessionWith(origin: string): Promise<MqttSession> {
    return connection.session(origin).catch((thrown) => {
      const fault = name(origin, thrown)
      if (!(fault instanceof BrokerUnreachable)) throw fault
      throw new BrokerUnreachable(fault.message, { cause: thrown, isUnsent: true })
    })
  }

  async function carryBy(session: MqttSession, call: RelayedCall, options: Waits) {
    const { client, answersTo, wasUnheard } = session
    const correlation = randomUUID()
    const answered = Promise.withResolvers<RelayedAnswer>()
    calls.set(correlation, { answer: answered.resolve, fail: answered.reject })
    const ending = new AbortController()
    const ends = AbortSignal.any([ending.signal, ...(options.signal ? [options.signal] : [])])
    clock.sleep(options.timeoutMs, ends).then(() => answered.reject(late()), answered.reject)
    const properties = {
      responseTopic: answersTo,
      correlationData: Buffer.from(correlation),
      messageExpiryInterval: Math.ceil(options.timeoutMs / 1_000),
    }
    client
      .publishAsync(callsTopic(clusterId), encodeCall(call), { qos: 1, properties })
      .then((sent) => wasUnheard(sent?.messageId) && answered.reject(unheard()), answered.reject)
    return answered.promise.finally(() => {
      calls.delete(correlation)
      ending.abort()
    })
  }

  /** Asks once, then follows messages; asks again after a long silence. */
  async function* follow(call: Call, signal: AbortSignal) {
    const told = toldFor(call)
    const topic = toldTopic(clusterId, told)
    const question = () => relayed({ method: 'GET', path: TOLD_PATHS[told] }, seen.text())
    using news = listen(topic)
    for (;;) {
      yield reply(await carry(question(), { timeoutMs, signal }), call)
      for (let next = await news.next(signal); next; next = await news.next(signal))
        yield reply(await readAnswer(next), call)
    }
  }

  function reply(answer: RelayedAnswer, call: Call) {
    const at = now()
    const told = toReply(answer, call, { askedAt: at, answeredAt: at })
    seen.heard(told.stamp)
    return told
  }

  /** Keeps only the newest unread message of a topic. */
  function listen(topic: string) {
    let latest: Message | undefined
    let isCut = false
    let wake = () => {}
    const onMessage = (message: Message) => {
      if (message.topic !== topic) return
      latest = message
      wake()
    }
    const onCut = () => {
      isCut = true
      wake()
    }
    news.on('message', onMessage).on('cut', onCut)

    return { next, [Symbol.dispose]: () => void news.off('message', onMessage).off('cut', onCut) }

    async function next(signal: AbortSignal): Promise<Message | undefined> {
      if (!latest && !isCut) await told(signal)
      if (closing.aborted) throw new ClientClosed()
      signal.throwIfAborted()
      if (isCut) throw new BrokerUnreachable('The connection to the MQTT server was lost.')
      const message = latest
      latest = undefined
      return message
    }

    async function told(signal: AbortSignal): Promise<void> {
      const awake = Promise.withResolvers<void>()
      wake = awake.resolve
      const ending = new AbortController()
      const silence = clock.sleep(SILENCE_MS, AbortSignal.any([signal, closing, ending.signal]))
      silence.then(awake.resolve, () => awake.resolve())
      await awake.promise
      ending.abort()
    }
  }

  function heard(message: Message): void {
    const waiting = calls.get(message.correlation)
    if (waiting) readAnswer(message).then(waiting.answer, waiting.fail)
    else news.emit('message', message)
  }

  function cut(): void {
    failAll(new BrokerUnreachable('The connection to the MQTT server was lost.'))
  }

  function failAll(why: BrokerFault): void {
    for (const { fail } of [...calls.values()]) fail(why)
    news.emit('cut')
  }

  function name(origin: string, thrown: unknown): BrokerFault {
    return closing.aborted ? new ClientClosed() : ports.name(origin, thrown)
  }
}

type Waits = Readonly<{ timeoutMs: number; signal?: AbortSignal | undefined }>

function toldFor({ path }: Call): Told {
  return TOLD.find((told) => path.startsWith(`/${told}`)) ?? 'reservations'
}

function readAnswer({ topic, payload }: Message): Promise<RelayedAnswer> {
  return Promise.resolve(payload)
    .then(decodeAnswer)
    .catch((cause) => {
      throw new BadAnswer(`The message on ${topic} is not an answer of a broker.`, { cause })
    })
}

function unheard(): BrokerUnreachable {
  return new BrokerUnreachable('No broker is connected to the MQTT server.', { isUnsent: true })
}

function late(): BrokerUnreachable {
  return new BrokerUnreachable(
    'No broker answered through the MQTT server in time: is one connected to it, and does the ' +
      'access list allow its answers?',
    { timedOut: 'headers' },
  )
}
