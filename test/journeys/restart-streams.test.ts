// Budget: 20 seconds. What watchers and the page show of before a restart.
import type { StreamEvent } from '@bourse/contract'
import type { Overview } from '@bourse/contract/dashboard'
import {
  anAdvertisement,
  aRequest,
  quietPorts,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { expect, it, onTestFinished } from 'vitest'

it('a broker that was restarted tells watchers and the page what happened before', async () => {
  const [port = 0] = await quietPorts(1)
  const broker = await startBroker({ flags: [`--dashboard-bind-address=127.0.0.1:${port}`] })
  onTestFinished(() => broker.dispose())
  const paris = await broker.aRawCaller('paris')
  await paris.post('/api/v1/advertisements', anAdvertisement('paris', { cpu: '10' }))
  const rome = await broker.aClient('rome')
  const reserve = async (cpu: string) => {
    const outcome = await rome.requestReservation(aRequest({ cpu }))
    return outcome.kind === 'reserved' ? outcome.reservation.id : outcome.kind
  }
  const kept = await reserve('1')
  const given = await reserve('2')
  await rome.release({ id: given })
  const before = [`reserved ${kept}`, `reserved ${given}`, `released ${given}`]

  await broker.restart()

  expect(await lastEvents(broker, 3)).toEqual(before)
  const overview = (await (
    await fetch(`http://127.0.0.1:${port}/data/overview`)
  ).json()) as Overview
  expect(overview.decisions.map((line) => `${line.kind} ${line.id}`)).toEqual([
    `ended ${given}`,
    `reserved ${given}`,
    `reserved ${kept}`,
  ])
})

async function lastEvents(broker: TestBroker, last: number): Promise<string[]> {
  const operator = await broker.anOperator()
  const stop = new AbortController()
  const told: string[] = []
  for await (const event of operator.events({ signal: stop.signal, last })) {
    told.push(wordsOf(event))
    if (told.length === last) stop.abort()
  }
  return told
}

function wordsOf(event: StreamEvent): string {
  return event.kind === 'reservation' ? `${event.change} ${event.reservation.id}` : event.kind
}
