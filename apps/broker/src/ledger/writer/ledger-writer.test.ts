import type { Advertisement, Command } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { aLedgerWriter } from '../../../fixtures/ledger/writer/writer.ts'
import { createMemoryJournal } from '../../../fixtures/store/memory/memory-journal.ts'
import { answerFirst, sendThenAnswerNextTurn } from '../../store/port/commit-order.ts'
import type { Appended, Journal, SealedBatch } from '../../store/port/journal.ts'
import { WriterUnavailable } from './ledger-writer.ts'

const supply: Advertisement = {
  clusterName: 'paris',
  capacity: { cpu: 10_000n },
  allocatable: { cpu: 10_000n },
  allocated: {},
  used: {},
}
const advertise: Command = {
  kind: 'advertise',
  door: 'rest',
  clusterId: 'paris',
  advertisement: supply,
}
const reserve = (cpu: bigint): Extract<Command, { kind: 'reserve' }> => ({
  kind: 'reserve',
  door: 'rest',
  requester: 'rome',
  wanted: { cpu },
  priority: 0,
})

function aWriter(
  append?: (batch: SealedBatch, real: Journal) => Promise<Appended>,
  limits: Pick<Journal, 'batchCharactersMax' | 'commitOrder'> = {},
) {
  const memory = createMemoryJournal()
  const sent: SealedBatch[] = []
  const crashes: Error[] = []
  let why: string | undefined
  let pressure: string | undefined
  const journal: Journal = {
    ...memory,
    ...limits,
    append(batch) {
      sent.push(batch)
      return append ? append(batch, memory) : memory.append(batch)
    },
  }
  const writer = aLedgerWriter({
    journal,
    whyNotLeading: () => why,
    pressure: () => pressure,
    crash: (cause) => crashes.push(cause),
  })
  const oust = () => {
    why = 'Another broker may lead.'
  }
  const press = () => {
    pressure = 'The journal has no room.'
  }
  return { writer, sent, crashes, oust, press }
}

function aGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Of promises, within a turn of the event loop. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await undefined
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

describe('the ledger writer', () => {
  it('commits everything that arrives together in one batch', async () => {
    const { writer, sent } = aWriter()

    const answers = await Promise.all([
      writer.submit(advertise),
      writer.submit(reserve(4_000n)),
      writer.submit(reserve(4_000n)),
      writer.submit(reserve(4_000n)),
    ])

    expect(answers.map(({ outcome }) => outcome.kind)).toEqual([
      'advertised',
      'reserved',
      'reserved',
      'refused',
    ])
    expect(sent.map(({ index }) => index)).toEqual([1])
  })

  it('decides the most important of those that wait first, and the others in their order', async () => {
    const { writer } = aWriter()
    const ask = (priority: number) => writer.submit({ ...reserve(6_000n), priority })
    await writer.submit(advertise)

    const answers = await Promise.all([ask(0), ask(5), ask(5)])

    const kinds = answers.map(({ outcome }) => outcome.kind)
    expect(kinds).toEqual(['refused', 'reserved', 'refused'])
  })

  it('keeps the place of a release between them', async () => {
    const { writer } = aWriter()
    await writer.submit(advertise)
    const { outcome } = await writer.submit(reserve(6_000n))
    if (outcome.kind !== 'reserved') throw new Error(`It was ${outcome.kind}`)

    const [, , urgent] = await Promise.all([
      writer.submit({ kind: 'release', id: outcome.reservation.id }),
      writer.submit(reserve(6_000n)),
      writer.submit({ ...reserve(6_000n), priority: 1 }),
    ])

    expect(urgent.outcome.kind).toBe('reserved')
  })

  it('writes several batches where the store takes only small ones, and answers after the last', async () => {
    const { writer, sent } = aWriter(undefined, { batchCharactersMax: 1_000 })
    const commands = [advertise, ...Array.from({ length: 6 }, () => reserve(1_000n))]

    const answers = await Promise.all(commands.map((command) => writer.submit(command)))

    expect(sent.length).toBeGreaterThan(2)
    expect(sent.map(({ index }) => index)).toEqual(sent.map((_, nth) => nth + 1))
    expect(new Set(answers.map(({ index }) => index))).toEqual(new Set([sent.length]))
    expect(Math.max(...sent.map(({ text }) => text.length))).toBeLessThan(1_300)
  })

  it('writes nothing for a command that changes nothing', async () => {
    const { writer, sent } = aWriter()
    await writer.submit(advertise)

    const { outcome } = await writer.submit(advertise)

    expect(outcome).toMatchObject({ kind: 'advertised', changed: false })
    expect(sent).toHaveLength(1)
  })

  it('turns away what it has taken in, once the journal has no room left', async () => {
    const { writer, sent, press } = aWriter()
    await writer.submit(advertise)

    const late = writer.submit(reserve(1_000n))
    press()

    await expect(late).rejects.toThrow('The journal has no room.')
    expect(sent).toHaveLength(1)
  })

  it('tells what was committed, and nothing else, once another broker may lead', async () => {
    const { writer, oust } = aWriter()
    await writer.submit(advertise)

    const refusal = writer.submit(reserve(99_000n))
    oust()

    await expect(refusal).rejects.toThrow('Another broker may lead.')
    const grant = writer.submit(reserve(1_000n))
    expect((await grant).outcome.kind).toBe('reserved')
  })

  it('shows a reader nothing that is not durable', async () => {
    const gate = aGate()
    const { writer } = aWriter((batch, real) => gate.opened.then(() => real.append(batch)))
    const answered = writer.submit(advertise)
    await turns(2)
    let seen: number | undefined
    const read = writer.read((_, index) => {
      seen = index
    })
    await turns(1)
    const seenDuringCommit = seen

    gate.open()
    await Promise.all([answered, read])

    expect(seenDuringCommit).toBeUndefined()
    expect(seen).toBe(1)
  })

  it('decides meanwhile what arrives during a commit, and commits that together', async () => {
    const gate = aGate()
    const { writer, sent } = aWriter((batch, real) => gate.opened.then(() => real.append(batch)))
    const first = writer.submit(advertise)
    await turns(3)
    const others = [writer.submit(reserve(4_000n)), writer.submit(reserve(4_000n))]
    await turns(3)
    const late = writer.submit(reserve(4_000n))
    await turns(3)

    gate.open()
    const answers = await Promise.all([first, ...others, late])

    expect(sent.map(({ index }) => index)).toEqual([1, 2])
    expect(answers.map(({ outcome, index }) => [outcome.kind, index])).toEqual([
      ['advertised', 1],
      ['reserved', 2],
      ['reserved', 2],
      ['refused', 2],
    ])
  })

  it.each([
    {
      name: 'when the next batch has left, where that takes a store several steps',
      limits: { commitOrder: sendThenAnswerNextTurn },
      untilSent: 20,
      told: ['1 sent', '2 sent', 'first answered', 'second answered'],
    },
    {
      name: 'before the next batch leaves, where the store works beside its callers',
      limits: { commitOrder: answerFirst },
      untilSent: 0,
      told: ['1 sent', 'first answered', '2 sent', 'second answered'],
    },
  ])('answers $name', async ({ limits, untilSent, told }) => {
    const happened: string[] = []
    const gate = aGate()
    const append = async (batch: SealedBatch, real: Journal) => {
      await steps(untilSent)
      happened.push(`${batch.index} sent`)
      await gate.opened
      return real.append(batch)
    }
    const { writer } = aWriter(append, limits)
    const first = writer.submit(advertise).then(() => happened.push('first answered'))
    await turns(3)
    const second = writer.submit(reserve(4_000n)).then(() => happened.push('second answered'))
    await turns(3)

    gate.open()
    await Promise.all([first, second])

    expect(happened).toEqual(told)
  })

  it('answers what was committed also when the next batch is refused at once', async () => {
    const append = async (batch: SealedBatch, real: Journal): Promise<Appended> => {
      if (batch.index === 2) return { kind: 'fenced', by: 'another' }
      await turns(5)
      return real.append(batch)
    }
    const { writer, crashes } = aWriter(append, { commitOrder: sendThenAnswerNextTurn })
    const first = writer.submit(advertise)
    await turns(3)
    writer.submit(reserve(4_000n))

    const { outcome } = await first
    await turns(3)

    expect(outcome.kind).toBe('advertised')
    expect(crashes).toHaveLength(1)
  })

  it('shows a reader nothing that was decided during a commit, until that is durable, too', async () => {
    const gate = aGate()
    const { writer } = aWriter((batch, real) => gate.opened.then(() => real.append(batch)))
    const decided = [writer.submit(advertise)]
    await turns(3)
    decided.push(writer.submit(reserve(4_000n)))
    await turns(3)

    const read = writer.read((view, index) => [view.liveCount, index])
    const late = writer.submit(reserve(4_000n))
    await turns(3)
    gate.open()

    expect(await read).toEqual([1, 2])
    expect((await late).index).toBe(3)
    await Promise.all(decided)
  })

  it('sends the identical bytes again while the outcome is unknown, and decides nothing else', async () => {
    let isFull = true
    const { writer, sent } = aWriter(async (batch, real) =>
      isFull ? { kind: 'unknown', cause: new Error('disk full') } : real.append(batch),
    )
    const first = writer.submit(advertise)
    await expect.poll(() => writer.trouble()).toContain('disk full')

    const refused = await writer.submit(reserve(1n)).catch((cause: unknown) => cause)
    await expect.poll(() => sent.length).toBeGreaterThan(1)
    isFull = false
    const { outcome } = await first

    expect(refused).toBeInstanceOf(WriterUnavailable)
    expect(outcome.kind).toBe('advertised')
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
    expect(writer.trouble()).toBeUndefined()
  })

  it('ends when another writer owns the index, and answers no caller', async () => {
    const { writer, crashes } = aWriter(async () => ({ kind: 'fenced', by: 'another broker' }))
    let answered = false

    writer.submit(advertise).then(() => {
      answered = true
    })
    await expect.poll(() => crashes.length).toBe(1)
    await turns(3)

    expect(crashes.map(({ message }) => message)).toEqual([
      'Another writer (another broker) owns the journal at index 1.',
    ])
    expect(answered).toBe(false)
  })

  it('tells after-commit readers before it answers', async () => {
    const { writer } = aWriter()
    const happened: string[] = []
    writer.subscribe(({ events }) => happened.push(...events.map(({ kind }) => kind)))

    await writer.submit(advertise).then(() => happened.push('answered'))

    expect(happened).toEqual(['advertised', 'answered'])
  })

  it('a query that throws fails its own caller only', async () => {
    const { writer } = aWriter()

    const failed = await writer
      .read(() => {
        throw new Error('a bad question')
      })
      .catch((cause: Error) => cause.message)
    const { outcome } = await writer.submit(advertise)

    expect(failed).toBe('a bad question')
    expect(outcome.kind).toBe('advertised')
  })

  it('counts the time in which a caller waits for it, and no other', async () => {
    const gate = aGate()
    const { writer } = aWriter((batch, real) => gate.opened.then(() => real.append(batch)))

    const before = writer.busyMs()
    const answered = writer.submit(advertise)
    await turns(3)
    const meanwhile = writer.busyMs()
    gate.open()
    await answered
    await turns(1)
    const after = writer.busyMs()
    await turns(10)

    expect(before).toBe(0)
    expect(meanwhile).toBeGreaterThan(0)
    expect(after).toBeGreaterThan(meanwhile)
    expect(writer.busyMs()).toBe(after)
  })

  it('finishes what it took and takes nothing more when it closes', async () => {
    const { writer } = aWriter()
    const taken = writer.submit(advertise)

    await writer.close()
    const late = await writer.submit(advertise).catch((cause: unknown) => cause)

    expect((await taken).outcome.kind).toBe('advertised')
    expect(late).toBeInstanceOf(WriterUnavailable)
  })
})
