import { type Clock, type KubeClient, KubeError, systemClock } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aReservation } from '../../fixtures/instructions/instruction.ts'
import { createMemoryCluster } from '../../fixtures/peering/native/fake/memory-cluster.ts'
import { createBrokerClock } from '../broker/broker-clock.ts'
import { RESERVATION_INSTRUCTION } from '../kubernetes/kinds.ts'
import { createInstructionKeeper } from './instruction-keeper.ts'
import { entryIn, type InstructionObject } from './instruction-object.ts'
import { createInstructionObjects } from './instruction-objects.ts'

const STAMP = { ledgerId: 'L1', index: 1 }
const NAME = { name: 'rsv-1', namespace: 'default' }

/** rome's instructions; what is made of them is a set of names that outlives all of them. */
async function rome(more: Partial<KubeClient> = {}, clock: Clock = systemClock) {
  const { client: own } = createMemoryCluster()
  const client: KubeClient = { ...own, ...more }
  const made = new Set<string>()
  const brokerClock = createBrokerClock(clock)
  const keeper = createInstructionKeeper({
    role: 'requester',
    brokerClock,
    clock,
    confirmed: () => undefined,
  })
  const objects = createInstructionObjects({
    client,
    namespace: 'default',
    role: 'requester',
    keeper,
    clock,
    work: {
      leavesTraces: true,
      async perform({ terms }) {
        made.add(terms.id)
        return { status: { delivered: true } }
      },
      async undo({ terms }) {
        made.delete(terms.id)
        return { isDone: true }
      },
    },
    onCreated() {},
    onStranger() {},
    onTrouble() {},
  })
  onTestFinished(async () => {
    keeper.stop()
    await objects.stop()
  })
  await objects.load()
  const withdrawn = () =>
    eventually('it is withdrawn', async () => (await objects.withdraw('rsv-1')) || undefined)
  return { own, client, keeper, objects, made, withdrawn }
}

describe('an instruction', () => {
  it('has the proof of its ledger beside it, for the next life of the agent', async () => {
    const { client, keeper, objects } = await rome()
    keeper.takeOne(aReservation('rsv-1'), { ...STAMP, proof: '1.hash.mac' })
    const entry = keeper.get('rsv-1')
    if (entry) await objects.ensure(entry)

    const object = await client.get<InstructionObject>(RESERVATION_INSTRUCTION, 'rsv-1', 'default')

    expect(object.metadata.annotations).toMatchObject({
      'bourse.dev/ledger': 'L1',
      'bourse.dev/ledger-index': '1',
      'bourse.dev/ledger-proof': '1.hash.mac',
    })
    expect(entryIn(object, 'requester')).toMatchObject({ ledgerId: 'L1', proof: '1.hash.mac' })
  })
})

describe('an instruction of a request that has just been granted', () => {
  async function granted() {
    const clock = steppedClock()
    const { keeper, objects, made } = await rome({}, clock)
    keeper.takeOne(aReservation('rsv-1'), STAMP)
    const entry = keeper.get('rsv-1')
    if (entry) await objects.ensure(entry)
    return { clock, objects, made }
  }

  it('lets the status of the request go first for a moment', async () => {
    const { clock, made } = await granted()

    await clock.advance(249)
    const early = [...made]
    await clock.advance(1)

    expect([early, [...made]]).toEqual([[], ['rsv-1']])
  })

  it('is performed at once when that is written', async () => {
    const { clock, objects, made } = await granted()

    objects.look('rsv-1')
    await clock.advance(0)

    expect([...made]).toEqual(['rsv-1'])
  })
})

describe('an instruction that is withdrawn', () => {
  it('waits for an object that is just being made, and for what follows from it', async () => {
    const { own, client, keeper, objects, made, withdrawn } = await rome()
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    client.create = async (kind, object) => {
      asked.resolve()
      await answer.promise
      return own.create(kind, object)
    }
    keeper.takeOne(aReservation('rsv-1'), STAMP)
    await asked.promise

    const isFirst = objects.withdraw('rsv-1')
    answer.resolve()

    expect(await isFirst).toBe(false)
    await withdrawn()
    expect([...made]).toEqual([])
  })

  it('is found although no watch has told of it, and no answer came when it was made', async () => {
    const { own, client, keeper, objects, withdrawn } = await rome({
      async *watch(_, { signal } = {}) {
        await new Promise((end) => signal?.addEventListener('abort', end))
      },
    })
    client.create = async (kind, object) => {
      await own.create(kind, object).catch(() => {})
      throw new KubeError('cut off', { reason: 'TimedOut', mayHaveHappened: true })
    }
    keeper.takeOne(aReservation('rsv-1'), STAMP)
    await eventually('it is made', () => found(own))

    expect(await objects.withdraw('rsv-1')).toBe(false)
    await withdrawn()

    expect((await found(own))?.metadata).toMatchObject({ finalizers: [] })
  })

  it('is undone by its name where its object was torn off', async () => {
    const { own, client, keeper, objects, made, withdrawn } = await rome()
    keeper.takeOne(aReservation('rsv-1'), STAMP)
    await eventually('it is performed', () => made.has('rsv-1') && objects.statusOf('rsv-1'))
    client.create = async () => {
      throw new KubeError('not now', { status: 503, reason: 'ServiceUnavailable' })
    }
    await own.mergePatch(RESERVATION_INSTRUCTION, NAME, { metadata: { finalizers: [] } })
    await own.delete(RESERVATION_INSTRUCTION, NAME)
    await eventually('it is known', () => objects.statusOf('rsv-1') === undefined)

    expect(await objects.withdraw('rsv-1')).toBe(false)
    await withdrawn()

    expect([...made]).toEqual([])
  })

  it('has nothing to undo before anything was granted', async () => {
    const { keeper, objects } = await rome()
    keeper.takeOne(aReservation('rsv-1', { phase: 'Pending' }), STAMP)

    expect(await objects.withdraw('rsv-1')).toBe(true)
  })
})

async function found(client: KubeClient) {
  const { items } = await client.list(RESERVATION_INSTRUCTION)
  return items[0]
}
