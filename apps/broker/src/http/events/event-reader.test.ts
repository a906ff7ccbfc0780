import { PassThrough } from 'node:stream'
import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { createEventRing } from '../../after-commit/event-ring.ts'
import { sealBatch } from '../../store/codec/batch.ts'
import { createEventReader } from './event-reader.ts'
import { createEventTexts } from './event-text.ts'

const staled = (clusterId: string): LedgerEvent => ({ kind: 'staled', at: 0, clusterId })
const returned = (clusterId: string): LedgerEvent => ({ kind: 'returned', at: 0, clusterId })
const many = (count: number) => Array.from({ length: count }, () => staled('paris'))

/** A reader of a stream that begins after 0; what it takes is as it came, in short. */
function aReader({ as = 'paris', unsentMax = 0 } = {}) {
  const response = new PassThrough({ highWaterMark: unsentMax })
  const ring = createEventRing(0)
  let index = 0
  let isWelcome = true
  const reader = createEventReader(response, {
    ring,
    textOf: createEventTexts(() => ({ isStale: false })),
    caller: { id: as, isOperator: as === 'operator' },
    after: 0,
    isWelcome: () => isWelcome,
    inTurn: (job) => job(),
    resetAfter: (after) => ({ kind: 'reset', index, at: '', message: `after ${after}` }),
  })
  ring.listen(reader.pump)

  function commit(...events: readonly LedgerEvent[]): void {
    index += 1
    const batch = { index, at: 0, events }
    ring.publish({ ...batch, text: sealBatch({ ...batch, writer: 'a', previous: '' }).text })
  }

  /** What has been written so far; to take it makes room for more. */
  const take = () => String(response.read() ?? '')

  async function takeAll(): Promise<string> {
    let all = ''
    for (let piece = take(); piece !== ''; piece = take()) {
      all += piece
      // That there is room again is told a little later.
      await new Promise(setImmediate)
    }
    return all
  }
  const shutOut = () => {
    isWelcome = false
  }
  return { response, reader, commit, take, takeAll, shutOut }
}

const told = (text: string) =>
  [...text.matchAll(/"change":"(\w+)"|"message":"(after \d+)"|^(id: \d+)$/gm)].map(
    ([, change, reset, id]) => change ?? reset ?? id,
  )

describe('createEventReader', () => {
  it('gives the id with the last event of a batch that the reader hears of', async () => {
    const { commit, takeAll } = aReader()

    commit(staled('paris'), staled('rome'), returned('paris'), returned('rome'))

    expect(told(await takeAll())).toEqual(['staled', 'returned', 'id: 1'])
  })

  it('gives an operator the id also when the last event of the batch is told to no reader', async () => {
    const { commit, takeAll } = aReader({ as: 'operator' })

    commit(staled('paris'), { kind: 'heard', at: 0, advertised: {}, requesters: {} })

    expect(told(await takeAll())).toEqual(['staled', 'id: 1'])
  })

  it('keeps what a reader does not take in the ring, and goes on when it does', async () => {
    const { response, reader, commit, takeAll } = aReader()
    commit(staled('paris'))
    const waiting = response.readableLength + response.writableLength

    commit(returned('paris'))
    commit(staled('paris'))
    reader.beat()

    expect(response.readableLength + response.writableLength).toBe(waiting)
    const all = told(await takeAll())
    expect(all).toEqual(['staled', 'id: 1', 'returned', 'id: 2', 'staled', 'id: 3'])
  })

  it('sends a large batch in pieces, each event once and the id at the end', async () => {
    const { commit, take, takeAll } = aReader()

    commit(...many(1_999), returned('paris'))
    const first = take()
    await new Promise(setImmediate)
    const rest = await takeAll()

    expect(first.length).toBeLessThan(70_000)
    expect(told(first)).not.toContain('id: 1')
    expect(told(first + rest)).toEqual([...many(1_999).map(() => 'staled'), 'returned', 'id: 1'])
  })

  it('tells a reader that has fallen out of the ring to begin anew', async () => {
    const { commit, takeAll } = aReader()
    commit(...many(1_000), returned('paris'))
    for (let at = 0; at < 3; at += 1) commit(...many(1_500))

    const all = told(await takeAll())
    commit(returned('paris'))

    expect(all.slice(-2)).toEqual(['after 0', 'id: 4'])
    expect(told(await takeAll())).toEqual(['returned', 'id: 5'])
  })

  it.each([
    ['operator:ana@rest', 'rome', true],
    ['object:team-a/job@kubernetes', 'rome', false],
    ['object:team-a/job@kubernetes', 'operator', true],
  ])('names %s to %s: %s', async (by, as, isNamed) => {
    const { commit, takeAll } = aReader({ as })

    commit({ kind: 'activated', at: 0, reservation: aReservation('rsv-1'), by })

    expect((await takeAll()).includes(`"by":"${by}"`)).toBe(isNamed)
  })

  it('says nothing to a caller that has been shut out, and ends once', async () => {
    const { response, reader, commit, takeAll, shutOut } = aReader()
    commit(staled('paris'))
    shutOut()

    reader.beat()
    commit(returned('paris'))
    reader.beat()

    expect(told(await takeAll())).toEqual(['staled', 'id: 1'])
    expect(response.writableEnded).toBe(true)
  })
})
