import { KubeError, type WatchOptions } from '@bourse/kube'
import { steppedClock } from '@bourse/testkit/clock'
import { expect, it } from 'vitest'
import { followSet } from './follow-set.ts'
import { createReservationSet } from './reservation-set.ts'

it('a broker behind an API server is reported as back after an outage, even without a change', async () => {
  const clock = steppedClock()
  const server = anApiServer()
  const closing = new AbortController()
  const set = createReservationSet({
    client: server.client,
    scope: async () => 'default',
    fieldSelector: '',
    clock,
    saw: () => {},
  })
  const { watch } = followSet({
    set,
    clock,
    closing: closing.signal,
    counts: () => true,
    tell: (objects, stamp) => ({ ...stamp, count: objects.length }),
    stamp: async () => ({ ledgerId: 'L1', index: 3 }),
  })
  const heard: string[] = []
  const following = follow()

  async function follow(): Promise<void> {
    const onTrouble = ({ message }: Error) => void heard.push(message)
    for await (const { index } of watch({ signal: closing.signal, onTrouble }))
      heard.push(`at ${index}`)
  }
  await clock.advance(0)
  server.fail()
  await clock.advance(100_000)
  const meanwhile = heard.length
  server.mend()
  await clock.advance(31_000)
  closing.abort()
  await Promise.all([following, set.stop()])

  expect(heard[0]).toBe('at 3')
  expect(heard.slice(1, meanwhile).every((line) => line.includes('away'))).toBe(true)
  expect(heard.slice(meanwhile).filter((line) => line === 'at 3')).toHaveLength(1)
})

/** Without any objects; its watches can be made to fail. */
function anApiServer() {
  let isAway = false
  let cut = new AbortController()
  const away = () => new KubeError('The API server is away.', { reason: 'Unreachable' })

  async function* pages() {
    yield { isFirst: true, items: [], resourceVersion: '1' } as never
  }
  async function* watch(_: unknown, { onOpen, signal }: WatchOptions = {}) {
    if (isAway) throw away()
    onOpen?.()
    await new Promise((resolve) => {
      for (const end of [signal, cut.signal]) end?.addEventListener('abort', resolve)
    })
    signal?.throwIfAborted()
    throw away()
  }
  return {
    client: { pages, watch, list: async () => ({ items: [], resourceVersion: '1' }) },
    fail(): void {
      isAway = true
      cut.abort()
      cut = new AbortController()
    },
    mend(): void {
      isAway = false
    },
  }
}
