import fc from 'fast-check'
import { generate, type Packet, parser } from 'mqtt-packet'
import { expect, it } from 'vitest'
import { leaveOut } from './leave-out.ts'

const BYTES_MAX = 10 * 1024
const MQTT_5 = { protocolVersion: 5 }
const note = Buffer.from('left out')
const leaving = () =>
  leaveOut({ bytesMax: BYTES_MAX, isLeftOut: (topic) => topic === 'mallory', note })

const message = fc
  .record({
    topic: fc.constantFrom('mallory', 'paris'),
    qos: fc.constantFrom(0 as const, 1 as const, 2 as const),
    payloadBytes: fc.oneof(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: BYTES_MAX - 100, max: BYTES_MAX + 100 }),
      fc.integer({ min: BYTES_MAX, max: 5 * BYTES_MAX }),
    ),
    fill: fc.integer({ min: 0, max: 255 }),
    responseTopic: fc.option(fc.constant('there'), { nil: undefined }),
  })
  .map(({ payloadBytes, fill, responseTopic, ...rest }): Packet => {
    const payload = Buffer.alloc(payloadBytes, fill)
    const properties = responseTopic && { properties: { responseTopic } }
    const id = rest.qos === 0 ? {} : { messageId: 7 }
    return { cmd: 'publish', retain: false, dup: false, ...rest, ...id, ...properties, payload }
  })
const packet = fc.oneof(
  { weight: 4, arbitrary: message },
  fc.constant<Packet>({ cmd: 'pingresp' }),
  fc.constant<Packet>({ cmd: 'puback', messageId: 9 }),
)

it('changes nothing but the payloads of long messages to some topics', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.array(packet, { maxLength: 12 }), cuts, (packets, sizes) => {
      const written = packets.map((one) => generate(one, MQTT_5))
      const { pass, takeDropped } = leaving()

      const passed = inChunks(Buffer.concat(written), sizes).map(passThrough(pass))

      const isShort = (at: number) => isLong(written[at]) && topicOf(packets[at]) === 'mallory'
      const expected = packets.map((one, at) => (isShort(at) ? { ...one, payload: note } : one))
      expect(told(Buffer.concat(passed))).toEqual(expected.map((one) => toldOf(one)))
      const left = written.filter((_, at) => isShort(at))
      expect(takeDropped()).toBe(left.reduce((sum, { length }) => sum + length, 0))
      expect(takeDropped()).toBe(0)
    }),
  )
})

it('leaves out properties that no call has, too', () => {
  const properties = { userProperties: { long: 'x'.repeat(50_000) } }
  const call = { cmd: 'publish', topic: 'mallory', qos: 1, messageId: 7, payload: 'call' } as const
  const { pass } = leaving()

  const passed = pass(generate({ ...call, dup: false, retain: false, properties }, MQTT_5))

  expect(told(passed)).toEqual([{ cmd: 'publish', topic: 'mallory', qos: 1, payload: note }])
})

it('leaves it to the library to complain of a length that is none', () => {
  const { pass } = leaving()
  const nonsense = Buffer.concat([Buffer.of(0x30), Buffer.alloc(20_000, 0xff)])

  expect(pass(nonsense)).toEqual(nonsense)
  expect(pass(nonsense)).toEqual(nonsense)
})

/** The connection uses its memory again for what it reads next. */
const passThrough = (pass: (chunk: Buffer) => Buffer) => (chunk: Buffer) => {
  const memory = Buffer.from(chunk)
  const passed = pass(memory)
  memory.fill(0)
  return passed
}

function inChunks(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = sizes[chunks.length % sizes.length] ?? 1
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

/** Without the first byte and the length itself, which has two bytes around this limit. */
const isLong = (bytes: Buffer | undefined) => bytes !== undefined && bytes.length - 3 > BYTES_MAX
const topicOf = (one: Packet | undefined) => (one?.cmd === 'publish' ? one.topic : undefined)

function toldOf(one: Packet) {
  if (one.cmd !== 'publish') return { cmd: one.cmd }
  const { cmd, topic, qos, payload, properties } = one
  return { cmd, topic, qos, payload, ...(properties && { properties: { ...properties } }) }
}

/** What the library reads. */
function told(bytes: Buffer) {
  const packets: Packet[] = []
  const reader = parser(MQTT_5)
  reader.on('packet', (one) => packets.push(one))
  reader.parse(bytes)
  return packets.map(toldOf)
}
