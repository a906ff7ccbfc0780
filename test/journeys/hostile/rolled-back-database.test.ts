// Budget: 60 seconds. A broker whose database was put back to an older copy while it was away.
import { aRequest, startBroker, type TestBroker } from '@bourse/testkit'
import { startPostgres, type TestPostgres } from '@bourse/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acceptRollback, RESERVATIONS, saysSo, withProvider } from './rolled-back-scene.ts'

const LOST = 10

describe('a database that is put back to an older copy', () => {
  it('stops selling on the first proof, until an operator accepts beside the broker', async () => {
    const { database, broker, rome, raw, ledger } = await rolledBack()
    const accept = () =>
      acceptRollback(['--store', 'postgres'], { BOURSE_POSTGRES_URL: database.url })
    await expect(accept()).rejects.toThrow('nothing to accept')

    const refusal = await rome.requestReservation(aRequest({ cpu: '1' })).catch(String)

    expect(refusal).toContain('older copy')
    await saysSo(broker)
    await broker.kill('SIGKILL')
    const child = broker.launch()
    await saysSo(broker)
    expect((await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))).status).toBe(503)

    expect(await accept()).toMatch(/^Accepted the postgres store: ledger \w+ at index \d+/)

    expect(await child.exited).toMatchObject({ code: 70 })
    expect(broker.logs()).toContain('was accepted: this broker starts again')
    await expect(accept()).rejects.toThrow('nothing to accept')
    await broker.restart()
    const again = await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))
    expect(await rome.requestReservation(aRequest({ cpu: '1' }))).toMatchObject({
      kind: 'reserved',
    })
    expect(again.status).toBe(201)
    expect(again.headers['bourse-ledger']).not.toBe(ledger)
  })
})

/** A broker on a copy from before its last reservations, and a client who remembers those. */
async function rolledBack() {
  const database = await startPostgres()
  onTestFinished(database.stop)
  const broker = await startBroker({
    flags: ['--store=postgres'],
    env: { BOURSE_POSTGRES_URL: database.url },
  })
  onTestFinished(broker.dispose)
  const { raw } = await withProvider(broker)
  const earlier = await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))
  await whileStopped(broker, database.keepCopy)
  const rome = await broker.aClient('rome', { attemptsMax: 1 })
  for (let nth = 0; nth < LOST; nth++) await rome.requestReservation(aRequest({ cpu: '1' }))
  await whileStopped(broker, database.putCopyBack)
  return { database, broker, rome, raw, ledger: earlier.headers['bourse-ledger'] }
}

async function whileStopped(broker: TestBroker, act: TestPostgres['keepCopy']): Promise<void> {
  await broker.stop()
  await act()
  await broker.restart()
}
