import { setTimeout as sleep } from 'node:timers/promises'
import { aRequest, type RawCaller, type TestBroker } from '@bourse/testkit'
import { mainThreadMsOf } from '@bourse/testkit/process-usage'

/** `work`: what the broker's event loop did until the answer, which no other process changes. */
export type Times = Readonly<{
  p50: number
  p99: number
  workP50: number
  workP90: number
  statuses: ReadonlySet<number>
}>

/** Between two requests of the polite cluster. */
const PAUSE_MS = 15
/** On a busy machine a second is not enough for as many as a median needs. */
const SAMPLES_MIN = 20

/** How a cluster fares that reserves by REST, one request after the other. */
export async function timesOf(
  { broker, polite }: Readonly<{ broker: TestBroker; polite: RawCaller }>,
  forMs: number,
): Promise<Times> {
  const times: number[] = []
  const work: number[] = []
  const statuses = new Set<number>()
  const until = performance.now() + forMs
  while (performance.now() < until || times.length < SAMPLES_MIN) {
    const startedAt = performance.now()
    const workedBefore = mainThreadMsOf(broker.pid)
    const { status } = await polite.post('/api/v1/reservations', aRequest({ cpu: '1m' }))
    work.push(mainThreadMsOf(broker.pid) - workedBefore)
    times.push(performance.now() - startedAt)
    statuses.add(status)
    await sleep(PAUSE_MS)
  }
  return {
    ...{ p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
    ...{ workP50: quantile(work, 0.5), workP90: quantile(work, 0.9) },
    statuses,
  }
}

function quantile(values: number[], part: number): number {
  values.sort((left, right) => left - right)
  return values[Math.floor(part * (values.length - 1))] ?? Number.NaN
}

export function shown({ statuses: _, ...times }: Times): object {
  return Object.fromEntries(
    Object.entries(times).map(([name, ms]) => [name, Number(ms.toFixed(1))]),
  )
}
