// Budget: 40 seconds. A broker on an older copy of its directory, and callers who say that it is.
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aRequest, fetchAnew, type RawCaller, startBroker, type TestBroker } from '@bourse/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { attackSize } from './attack-size.ts'
import {
  acceptRollback,
  forgetting,
  RESERVATIONS,
  saysSo,
  withProvider,
} from './rolled-back-scene.ts'

const LOST = attackSize({ sample: 30, full: 1_000 })
const CONNECTIONS = 32
const GUESSES = attackSize({ sample: 200, full: 20_000 })
const ANY_PROOF = `${'a'.repeat(16)}.${'A'.repeat(22)}`

describe('a directory that is put back to an older copy, with its witness', () => {
  it('stops selling on the first proof, also after a restart, until an operator accepts', async () => {
    const { broker, rome, raw, earlier, ids } = await rolledBack()
    // A client that keeps no proofs cannot tell: what it gets has an id that was never used.
    const untold = await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))
    ids.push(untold.json.id)

    const refusal = await rome.requestReservation(aRequest({ cpu: '1' })).catch(String)

    const stopped = await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))
    const read = await raw.get(RESERVATIONS)
    expect(refusal).toContain('older copy')
    expect(stopped).toMatchObject({ status: 503, json: { code: 'Unavailable' } })
    expect(stopped.json.detail).toContain('bourse ledger accept-rollback')
    expect(read.status).toBe(200)
    await saysSo(broker)

    await broker.kill('SIGKILL')
    broker.launch()
    await saysSo(broker)
    expect((await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))).status).toBe(503)
    expect(await accept(broker).catch(String)).toContain('Another broker runs')

    await broker.stop()
    expect(await accept(broker)).toMatch(/^Accepted .*: ledger \w+ at index \d+/)
    await broker.restart()
    const healed = await rome.requestReservation(aRequest({ cpu: '1' }))
    const again = await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))
    expect(healed).toMatchObject({ kind: 'reserved' })
    expect(again.status).toBe(201)
    expect(again.headers['bourse-ledger']).not.toBe(earlier.headers['bourse-ledger'])
    if (healed.kind === 'reserved') ids.push(healed.reservation.id)
    ids.push(again.json.id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('is found out after it has sold as much as was lost', async () => {
    const { broker, rome, raw } = await rolledBack()
    for (let nth = 0; nth < LOST + 5; nth++) await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))

    await rome.ping()

    await saysSo(broker)
  })

  it('does not start where an anchor elsewhere knows better', async () => {
    const outside = scratch()
    const flags = [`--anchor=${join(outside, 'anchor.json')}`]
    const { broker } = await rolledBack({ flags, starts: false })

    const exit = await broker.launch().exited

    expect(exit.code).toBeGreaterThan(0)
    expect(broker.logs()).toMatch(/older copy of its ledger.*Its anchor says so/s)
    await accept(broker)
    await broker.restart()
    expect(await broker.isReady()).toBe(true)
  })
})

describe('a caller who names an index that never was', () => {
  it('is refused alone: no other caller notices', async () => {
    // As many guesses as there is time for.
    const broker = await startBroker({ flags: ['--rate-limit=0'] })
    onTestFinished(broker.dispose)
    const { raw: rome } = await withProvider(broker)
    const mallory = await broker.aRawCaller('mallory', CONNECTIONS)
    const { headers } = await mallory.get(RESERVATIONS)
    const ledger = String(headers['bourse-ledger'])
    const [index = '', hash, mac] = String(headers['bourse-proof']).split('.')
    const forged = [
      `${ledger}/${2 ** 53}.${ANY_PROOF}`,
      `${ledger}/${2 ** 53 - 1}.${ANY_PROOF}`,
      `${ledger}/${Number(index) + 1}.${hash}.${mac}`,
      `${ledger}/${index}`,
      `${2 ** 53}`,
      '',
    ]

    for (const seen of forged) expect(await statusOf(mallory, seen)).toBe(400)
    const guesses = Array.from({ length: GUESSES }, (_, nth) =>
      statusOf(mallory, `${ledger}/${10_000 + nth}.${ANY_PROOF}`),
    )
    const elsewhere = await statusOf(mallory, `another/${2 ** 52}.${ANY_PROOF}`)
    const after = await mallory.get(`${RESERVATIONS}?after=${2 ** 53 - 1}&wait=1s`)

    expect(new Set(await Promise.all(guesses))).toEqual(new Set([400]))
    expect(elsewhere).toBe(200)
    expect(after.status).toBe(200)
    expect((await rome.post(RESERVATIONS, aRequest({ cpu: '1' }))).status).toBe(201)
    expect(await broker.isReady()).toBe(true)
    const metrics = await (await fetchAnew(broker.metricsUrl)).text()
    expect(metrics).toMatch(/^broker_rolled_back 0$/m)
    expect(metrics).toMatch(/^broker_unproven_seen_total [1-9]\d*$/m)
  })
})

describe('a directory whose log and witness are gone', () => {
  it('gets no new ledger in place of the one it held', async () => {
    const broker = await startBroker()
    onTestFinished(broker.dispose)
    const { raw } = await withProvider(broker)
    await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))
    await broker.kill('SIGKILL')
    for (const name of ['bourse.db-wal', 'bourse.db-shm', 'bourse.witness'])
      rmSync(join(broker.dataDir, name))

    const exit = await broker.launch().exited

    expect(exit.code).toBeGreaterThan(0)
    expect(broker.logs()).toMatch(/held a ledger.*import a backup/s)
  })
})

describe('a directory that every user may read', () => {
  it('holds no file that others may', async () => {
    const dataDir = scratch()
    chmodSync(dataDir, 0o755)
    const broker = await startBroker({ dataDir })
    onTestFinished(broker.dispose)

    const open = readdirSync(dataDir).filter(
      (name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0,
    )

    expect(open).toEqual([])
    expect(readdirSync(dataDir)).toContain('bourse.proof-key')
  })
})

type Rolling = Readonly<{ flags?: readonly string[]; starts?: boolean }>

/** A broker on a copy from before its last reservations, and clients who remember those. */
async function rolledBack({ flags = [], starts = true }: Rolling = {}) {
  const broker = await startBroker({ flags })
  onTestFinished(broker.dispose)
  const { raw } = await withProvider(broker)
  const earlier = await raw.post(RESERVATIONS, aRequest({ cpu: '1' }))
  const rome = await broker.aClient('rome', { attemptsMax: 1 })
  const ids = [earlier.json.id as string]
  await forgetting(broker, async () => {
    for (let nth = 0; nth < LOST; nth++) {
      const outcome = await rome.requestReservation(aRequest({ cpu: '1' }))
      if (outcome.kind === 'reserved') ids.push(outcome.reservation.id)
    }
  })
  if (starts) await broker.restart()
  return { broker, rome, raw, earlier, ids }
}

const accept = ({ dataDir }: TestBroker) => acceptRollback(['--data-dir', dataDir])

async function statusOf(caller: RawCaller, seen: string): Promise<number> {
  const headers = { 'bourse-seen': seen }
  return (await caller.send({ path: RESERVATIONS, headers })).status
}

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-rolled-back-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
