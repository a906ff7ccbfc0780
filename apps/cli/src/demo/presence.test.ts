import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPresence } from './presence.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a broker that is killed', () => {
  it('is announced when it answers again, with the process to kill next', async () => {
    const { presence, lines, answers } = aPresence()

    presence.went('SIGKILL')
    expect(lines).toEqual(['The broker stopped (SIGKILL); restarting it on the same data.'])
    answers()

    await vi.advanceTimersByTimeAsync(0)
    expect(lines.slice(1)).toEqual(['It is back, process 4711, and has lost nothing.'])
  })

  it('is announced once, however often it went before it answered', async () => {
    const { presence, lines, answers } = aPresence()

    presence.went('SIGKILL')
    presence.went('SIGKILL')
    answers()

    await vi.advanceTimersByTimeAsync(0)
    expect(lines).toHaveLength(3)
  })

  it('keeps the clusters from complaining, also those that noticed first', async () => {
    const { presence, lines } = aPresence()

    void presence.onTrouble('rome', new Error('reservations not heard'))
    presence.went('SIGKILL')
    await vi.advanceTimersByTimeAsync(6_000)
    void presence.onTrouble('paris', new Error('instructions not heard'))
    await vi.advanceTimersByTimeAsync(6_000)

    expect(lines).toHaveLength(1)
  })

  it('keeps them from complaining also when it is back before they would have', async () => {
    const { presence, lines, answers } = aPresence()

    void presence.onTrouble('rome', new Error('reservations not heard'))
    presence.went('SIGKILL')
    answers()
    await vi.advanceTimersByTimeAsync(6_000)

    expect(lines.at(-1)).toBe('It is back, process 4711, and has lost nothing.')
  })

  it('is not complained of, once it is back, by clusters that asked while it was away', async () => {
    const { presence, lines, answers } = aPresence()

    presence.went('SIGKILL')
    answers()
    await vi.advanceTimersByTimeAsync(6_000)
    void presence.onTrouble('rome', new Error('reservations not heard'))
    await vi.advanceTimersByTimeAsync(30_000)
    void presence.onTrouble('rome', new Error('instructions not heard'))
    await vi.advanceTimersByTimeAsync(6_000)

    expect(lines.slice(1)).toEqual([
      'It is back, process 4711, and has lost nothing.',
      'rome: instructions not heard',
    ])
  })

  it('is not announced after the demo was stopped', async () => {
    const { presence, lines, answers, end } = aPresence()

    presence.went('SIGKILL')
    end.abort()
    answers()
    await vi.advanceTimersByTimeAsync(1_000)

    expect(lines).toHaveLength(1)
  })
})

describe('trouble with a broker that is there', () => {
  it('is told once in five seconds', async () => {
    const { presence, lines } = aPresence()

    for (const cluster of ['rome', 'paris'])
      void presence.onTrouble(cluster, new Error('reservations not heard'))
    await vi.advanceTimersByTimeAsync(5_000)
    void presence.onTrouble('oslo', new Error('instructions not heard'))
    await vi.advanceTimersByTimeAsync(1_000)

    expect(lines).toEqual(['rome: reservations not heard', 'oslo: instructions not heard'])
  })
})

function aPresence() {
  const lines: string[] = []
  const answer = Promise.withResolvers<void>()
  const end = new AbortController()
  const presence = createPresence({
    ready: () => answer.promise,
    pid: () => 4711,
    print: (line) => void lines.push(line),
    signal: end.signal,
  })
  return { presence, lines, answers: answer.resolve, end }
}
