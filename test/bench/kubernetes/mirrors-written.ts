import { setTimeout as sleep } from 'node:timers/promises'
import type { TestBroker } from '@bourse/testkit'

/** A scrape reads every cluster: a shorter interval would disturb the measurement. */
const ASK_EVERY_MS = 1_000
const GIVE_UP_MS = 180_000

/** Waits until every mirror object shows what the ledger says; returns how long that took. */
export async function mirrorsWritten({ metricsUrl }: TestBroker): Promise<number> {
  const startedAt = performance.now()
  while ((await backlogAt(metricsUrl)) > 0) {
    if (performance.now() - startedAt > GIVE_UP_MS)
      throw new Error(`The mirrors are not up to date after ${GIVE_UP_MS / 1_000} s.`)
    await sleep(ASK_EVERY_MS)
  }
  return performance.now() - startedAt
}

async function backlogAt(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const [, backlog] = /^broker_objects_backlog (\d+)$/m.exec(text) ?? []
  if (backlog === undefined) throw new Error('The broker does not tell its backlog.')
  return Number(backlog)
}
