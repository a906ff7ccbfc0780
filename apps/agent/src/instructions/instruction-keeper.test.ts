import type { Stamp } from '@bourse/client'
import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aReservation } from '../../fixtures/instructions/instruction.ts'
import { createBrokerClock } from '../broker/broker-clock.ts'
import { isOver } from './expiry.ts'
import { createInstructionKeeper } from './instruction-keeper.ts'
import { ledgerCondition } from './ledger-standing.ts'

/** A keeper on time that stands still until it is moved; the broker's clock is an hour ahead. */
function aKeeper(confirmed?: string) {
  const clock = steppedClock()
  const brokerClock = createBrokerClock(clock)
  const changes: string[][] = []
  const remembered: Stamp[] = []
  let ledger = confirmed
  const keeper = createInstructionKeeper({
    role: 'provider',
    brokerClock,
    clock,
    confirmed: () => ledger,
    remember: (seen) => void remembered.push(seen),
  })
  keeper.subscribe((ids) => changes.push([...ids]))
  onTestFinished(() => keeper.stop())
  const confirm = (ledgerId: string) => {
    ledger = ledgerId
    keeper.reconsider()
  }
  const ids = () => [...keeper.entries()].map(({ terms }) => terms.id)
  return { keeper, brokerClock, clock, changes, remembered, confirm, ids }
}
const HOUR_MS = 3_600_000
const answer = (index: number, ...ids: string[]) => ({
  ledgerId: 'L1',
  index,
  brokerTimeOffsetMs: HOUR_MS,
  reservations: ids.map((id) => aReservation(id)),
})

describe('a keeper of instructions', () => {
  it('tells which entries changed, and nothing when none did', () => {
    const { keeper, changes } = aKeeper()

    keeper.take(answer(1, 'a', 'b'))
    keeper.take(answer(2, 'a', 'b'))
    keeper.take(answer(3, 'b'))

    expect(changes).toEqual([['a', 'b'], ['a']])
    expect(keeper.lastEnding()).toBe(3)
  })

  it('tells that the ledger is another one, although no entry changed', () => {
    const { keeper, changes } = aKeeper()
    keeper.take(answer(1, 'a'))

    keeper.take({ ...answer(1), ledgerId: 'L2' })
    keeper.take({ ...answer(2), ledgerId: 'L2' })

    expect(changes).toEqual([['a'], []])
  })

  it('passes over an answer that is older than the last one', () => {
    const { keeper, ids } = aKeeper()
    keeper.take(answer(5, 'a'))

    keeper.take(answer(4, 'b'))

    expect(ids()).toEqual(['a'])
  })

  it('does not bring back what was released here by an answer from before', () => {
    const { keeper, ids } = aKeeper()
    keeper.take(answer(5, 'a'))

    keeper.forget('a', { index: 7 })
    keeper.take(answer(6, 'a'))

    expect(ids()).toEqual([])
  })

  it('keeps a grant that came after the answer which does not have it yet', () => {
    const { keeper, ids } = aKeeper()
    keeper.take(answer(5))

    keeper.takeOne(aReservation('a'), { ledgerId: 'L1', index: 7 })
    keeper.take(answer(6))

    expect(ids()).toEqual(['a'])
  })

  it('keeps the proof that came with the terms, and recalls the one that an earlier run had', () => {
    const { keeper, remembered } = aKeeper()
    const terms = { id: 'b', party: 'rome', amounts: { cpu: '2' } }

    keeper.take({ ...answer(5, 'a'), proof: '5.hash.mac' })
    keeper.take({ ...answer(6, 'a'), proof: '6.hash.mac' })
    keeper.adopt({ terms, isGranted: true, ledgerId: 'L1', index: 4, proof: '4.hash.mac' })

    expect(keeper.get('a')).toMatchObject({ index: 5, proof: '5.hash.mac' })
    expect(remembered).toEqual([{ ledgerId: 'L1', proof: '4.hash.mac' }])
  })

  it('adopts what an earlier run wrote, until its own ledger has the word', () => {
    const { keeper, ids } = aKeeper()
    const terms = { id: 'a', party: 'rome', amounts: { cpu: '2' } }
    keeper.adopt({ terms, isGranted: true, ledgerId: 'L1', index: 5 })

    keeper.take({ ...answer(4), ledgerId: 'L2' })
    const amidOther = ids()
    keeper.take(answer(4))
    const amidOlder = ids()
    keeper.take(answer(5))

    expect(amidOther).toEqual(['a'])
    expect(amidOlder).toEqual(['a'])
    expect(ids()).toEqual([])
  })

  it('says that another ledger waits for an operator, and believes it once confirmed', () => {
    const { keeper, ids, confirm } = aKeeper()
    keeper.take(answer(5, 'a'))
    keeper.take({ ...answer(1), ledgerId: 'L2' })
    const before = keeper.standing()

    confirm('L2')

    expect(before).toEqual({ kind: 'unconfirmed', ledgerId: 'L2', ours: 'L1', kept: 1 })
    expect(ledgerCondition(before)).toEqual({
      type: 'LedgerConfirmed',
      status: 'False',
      reason: 'OtherLedger',
      message:
        'The broker answers from ledger L2: 1 instruction of ledger L1 stays until that is ' +
        'confirmed. If it is the right one, annotate this object: bourse.dev/confirm-ledger=L2',
    })
    expect(ids()).toEqual([])
    expect(keeper.standing()).toEqual({ kind: 'followed', ledgerId: 'L2', index: 1 })
  })

  it('is over at its end by the clock of the broker, and gone a minute later', async () => {
    const { keeper, brokerClock, clock, changes, ids } = aKeeper()
    // Ten seconds from now in the broker's time, which is an hour ahead of ours.
    const expiresAt = new Date(clock.now() + HOUR_MS + 10_000).toISOString()
    keeper.take({ ...answer(1), reservations: [aReservation('a', { expiresAt })] })
    const counts = () => [...keeper.entries()].filter((entry) => !isOver(entry, brokerClock)).length

    await clock.advance(9_999)
    const before = counts()
    await clock.advance(1)
    const after = counts()
    const kept = ids()
    await clock.advance(60_000)

    expect([before, after]).toEqual([1, 0])
    expect(kept).toEqual(['a'])
    expect(ids()).toEqual([])
    expect(changes).toEqual([['a'], ['a'], ['a']])
  })

  it('is told as over when an answer comes at its end, or moves the clock past it', async () => {
    const { keeper, clock, changes } = aKeeper()
    const expiresAt = new Date(clock.now() + HOUR_MS + 10_000).toISOString()
    const told = { ...answer(1), reservations: [aReservation('a', { expiresAt })] }
    keeper.take(told)

    await clock.advance(9_500)
    keeper.take({ ...told, brokerTimeOffsetMs: HOUR_MS + 600 })
    await clock.advance(1)

    expect(changes).toEqual([['a'], ['a']])
  })

  it('is told as over when the broker is heard at last, long after its end', async () => {
    const { keeper, clock, changes } = aKeeper()
    const expiresAt = new Date(clock.now() + HOUR_MS + 10_000).toISOString()
    const terms = { id: 'a', party: 'rome', amounts: { cpu: '2' }, expiresAt }
    keeper.adopt({ terms, isGranted: true, ledgerId: 'L1', index: 5 })
    await clock.advance(30_000)

    keeper.take({ brokerTimeOffsetMs: HOUR_MS, reservations: [] })
    await clock.advance(1)

    expect(changes.at(-1)).toEqual(['a'])
  })

  it('ends and drops nothing before it knows the time of the broker', async () => {
    const { keeper, brokerClock, clock, ids } = aKeeper()
    const expiresAt = new Date(clock.now() - 86_400_000).toISOString()
    const terms = { id: 'a', party: 'rome', amounts: { cpu: '2' }, expiresAt }

    keeper.adopt({ terms, isGranted: true, ledgerId: 'L1', index: 5 })
    await clock.advance(3_600_000)
    const before = [...keeper.entries()].map((entry) => isOver(entry, brokerClock))
    keeper.take({ ...answer(1), ledgerId: 'L2' })

    expect(before).toEqual([false])
    expect(ids()).toEqual([])
  })
})
