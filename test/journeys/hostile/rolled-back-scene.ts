import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  anAdvertisement,
  eventually,
  fetchAnew,
  repositoryRoot,
  type TestBroker,
} from '@bourse/testkit'
import { expect, onTestFinished } from 'vitest'

const run = promisify(execFile)
export const RESERVATIONS = '/api/v1/reservations'

/** A provider with room for everything, and a caller who keeps no proofs. */
export async function withProvider(broker: TestBroker) {
  const paris = await broker.aRawCaller('paris')
  const offer = anAdvertisement('paris', { cpu: '1000000', memory: '100Ti' })
  await paris.post('/api/v1/advertisements', offer)
  return { raw: await broker.aRawCaller('oslo') }
}

/** Puts a broker's directory back to what it was before something happened; it is stopped then. */
export async function forgetting(broker: TestBroker, happens: () => Promise<void>): Promise<void> {
  await broker.stop()
  const copy = mkdtempSync(join(tmpdir(), 'bourse-older-copy-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(broker.dataDir, copy, { recursive: true })
  await broker.restart()
  await happens()
  await broker.stop()
  rmSync(broker.dataDir, { recursive: true })
  cpSync(copy, broker.dataDir, { recursive: true })
}

/** Probe, metrics, audit and log all show it. */
export async function saysSo(broker: TestBroker): Promise<void> {
  const ready = await eventually('the probe says so', async () => {
    const probe = await fetchAnew(`${broker.healthUrl}/readyz`).catch(() => undefined)
    const text = await probe?.text()
    return text?.includes('older copy') ? { status: probe?.status, text } : undefined
  })
  const metrics = await (await fetchAnew(broker.metricsUrl)).text()
  const operator = await broker.aRawOperator()
  const audit = await operator.get('/api/v1/audit')
  expect(ready.status).toBe(503)
  expect(metrics).toMatch(/^broker_rolled_back 1$/m)
  expect(audit.json).toMatchObject({ state: 'inconsistent' })
  expect(audit.json.findings.join()).toContain('older copy')
  expect(broker.logs()).toContain('The store is an older copy of its ledger')
}

/** As an operator does it. */
export async function acceptRollback(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const argv = ['ledger', 'accept-rollback', ...flags]
  const options = { env: { ...process.env, ...env } }
  return (await run(join(repositoryRoot, 'bin', 'bourse'), argv, options)).stdout
}
