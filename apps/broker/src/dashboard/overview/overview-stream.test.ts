import type { Overview, OverviewUpdate } from '@bourse/contract/dashboard'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Frame, LiveOverview } from './live-overview.ts'
import { createOverviewStream, type StreamClient } from './overview-stream.ts'

const overview = { index: 1 } as Overview // the stream passes it on and looks no further
const update = { index: 2 } as OverviewUpdate // likewise

/** A source that notes how it was asked, and whose changes the test makes. */
function aSource(answer: () => Promise<Frame> = async () => ({ overview, update })) {
  const frames: Parameters<LiveOverview['frame']>[0][] = []
  let changed = () => {}
  const source: Pick<LiveOverview, 'frame' | 'onChange'> = {
    frame(needs) {
      frames.push(needs)
      return answer()
    },
    onChange(listener) {
      changed = listener
      return () => {}
    },
  }
  return { source, frames, change: () => changed() }
}

function aClient() {
  const state = { texts: [] as string[], backlog: 0, isEnded: false }
  const client: StreamClient = {
    write: (text) => void state.texts.push(text.split('\n')[0] ?? ''),
    backlog: () => state.backlog,
    end: () => {
      state.isEnded = true
    },
  }
  return { client, state }
}

const OVERVIEW = 'event: overview'
const UPDATE = 'event: update'

describe('the stream', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const now = () => Date.now()

  it('tells a newcomer everything at once, and then only what changes', async () => {
    const { source, change } = aSource()
    const stream = createOverviewStream({ source, now })
    const { client, state } = aClient()

    stream.join(client)
    await vi.advanceTimersByTimeAsync(1)
    change()
    await vi.advanceTimersByTimeAsync(200)

    expect(state.texts).toEqual([OVERVIEW, UPDATE])
  })

  it('gathers a thousand changes a second into five frames', async () => {
    const { source, frames, change } = aSource()
    const stream = createOverviewStream({ source, now })
    const { client, state } = aClient()
    stream.join(client)
    await vi.advanceTimersByTimeAsync(1)

    for (let ms = 0; ms < 1_000; ms++) {
      change()
      await vi.advanceTimersByTimeAsync(1)
    }

    expect(state.texts.slice(1)).toEqual([UPDATE, UPDATE, UPDATE, UPDATE, UPDATE])
    expect(frames).toHaveLength(6)
  })

  it('reads the ledger once for all pages', async () => {
    const { source, frames } = aSource()
    const stream = createOverviewStream({ source, now })
    const clients = Array.from({ length: 20 }, aClient)

    for (const { client } of clients) stream.join(client)
    await vi.advanceTimersByTimeAsync(1)

    expect(frames).toEqual([{ isFull: true, isBeat: false }])
    expect(clients.every(({ state }) => state.texts[0] === OVERVIEW)).toBe(true)
  })

  it('does not read the ledger while no page is open', async () => {
    const { source, frames, change } = aSource()
    const stream = createOverviewStream({ source, now })
    const { client } = aClient()
    stream.join(client)
    stream.leave(client)

    change()
    await vi.advanceTimersByTimeAsync(60_000)

    expect(frames.length).toBeLessThanOrEqual(1)
  })

  it('beats every three seconds when nothing changes', async () => {
    const { source, frames } = aSource()
    const stream = createOverviewStream({ source, now })
    const { client, state } = aClient()
    stream.join(client)

    await vi.advanceTimersByTimeAsync(9_500)

    expect(state.texts).toEqual([OVERVIEW, UPDATE, UPDATE, UPDATE])
    expect(frames.slice(1)).toEqual(Array(3).fill({ isFull: false, isBeat: true }))
  })

  it('skips who cannot keep up, and tells it everything once it has caught up', async () => {
    const { source, change } = aSource()
    const stream = createOverviewStream({ source, now })
    const slow = aClient()
    const quick = aClient()
    stream.join(slow.client)
    stream.join(quick.client)
    await vi.advanceTimersByTimeAsync(1)

    slow.state.backlog = 2 * 1024 * 1024
    change()
    await vi.advanceTimersByTimeAsync(250)
    slow.state.backlog = 0
    change()
    await vi.advanceTimersByTimeAsync(250)

    expect(slow.state.texts).toEqual([OVERVIEW, OVERVIEW])
    expect(quick.state.texts).toEqual([OVERVIEW, UPDATE, UPDATE])
  })

  it('a change during a reading is told in the next frame', async () => {
    const { source, change } = aSource(
      () => new Promise((answer) => setTimeout(() => answer({ overview, update }), 50)),
    )
    const stream = createOverviewStream({ source, now })
    const { client, state } = aClient()
    stream.join(client)

    await vi.advanceTimersByTimeAsync(20)
    change()
    await vi.advanceTimersByTimeAsync(400)

    expect(state.texts).toEqual([OVERVIEW, UPDATE])
  })

  it('ends every line when the ledger cannot be read', async () => {
    const { source } = aSource(() => Promise.reject(new Error('stopping')))
    const stream = createOverviewStream({ source, now })
    const { client, state } = aClient()

    stream.join(client)
    await vi.advanceTimersByTimeAsync(1)

    expect(state.isEnded).toBe(true)
  })

  it('takes 64 pages and no more', () => {
    const stream = createOverviewStream({ source: aSource().source, now })

    const joined = Array.from({ length: 65 }, () => stream.join(aClient().client))

    expect(joined.filter(Boolean)).toHaveLength(64)
    expect(joined.at(-1)).toBe(false)
  })
})
