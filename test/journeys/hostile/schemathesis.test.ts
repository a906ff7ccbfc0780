import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot, startBroker, startChild, type TestBroker } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attackSize } from './attack-size.ts'

/**
 * Schemathesis reads how the API describes itself and tries what that allows and what it forbids:
 * on any input, the broker never fails, answers as it says that it does, takes what it says
 * that it takes and refuses the rest.
 */
const CASES_EACH = attackSize({ sample: 4, full: 400 })
const PHASES = attackSize({
  sample: 'coverage,fuzzing',
  full: 'examples,coverage,fuzzing,stateful',
})
const timeout = attackSize({ sample: 300_000, full: 3_600_000 })
const SEED = '16'
const HERE = new URL('./schemathesis/', import.meta.url).pathname

describe('schemathesis', () => {
  let broker: TestBroker
  let program: string
  let workDir: string
  let reservationId: string

  beforeAll(async () => {
    const install = join(repositoryRoot, 'tools/install-schemathesis')
    execFileSync(install, { stdio: 'inherit' })
    program = execFileSync(install, ['--where'], { encoding: 'utf8' }).trim()
    workDir = mkdtempSync(join(tmpdir(), 'bourse-schemathesis-'))
    // It has nothing but requests to send, and floods are an attack of their own.
    broker = await startBroker({ flags: ['--rate-limit=0'] })
    const paris = await broker.aRawCaller('paris')
    const rome = await broker.aRawCaller('rome')
    const resources = { capacity: { cpu: '1000', memory: '4000Gi' } }
    await paris.post('/api/v1/advertisements', { clusterID: 'paris', resources })
    const reserved = await rome.post('/api/v1/reservations', { requestedResources: { cpu: '1' } })
    reservationId = String(reserved.json.id)
  })
  afterAll(async () => {
    await broker?.dispose()
    rmSync(workDir, { recursive: true, force: true })
  })

  it.each(['a cluster', 'an operator'] as const)(
    'finds nothing as %s',
    { timeout },
    async (caller) => {
      const { certificates, url } = broker
      const identity = await (caller === 'a cluster'
        ? certificates.forCluster('rome')
        : certificates.forOperator())

      const { code, output } = await attack(url, identity)

      expect(code, output).toBe(0)
      expect(await broker.isReady()).toBe(true)
      const operator = await broker.aRawOperator()
      expect((await operator.get('/api/v1/audit')).json).toMatchObject({ findings: [] })
      expect(broker.logs()).not.toMatch(/"level":(50|60|"error"|"fatal")/)
    },
  )

  async function attack(url: string, identity: string) {
    const tls = [
      ['--tls-verify', join(identity, 'ca.crt')],
      ['--request-cert', join(identity, 'tls.crt')],
      ['--request-cert-key', join(identity, 'tls.key')],
    ]
    const pace = ['--max-examples', String(CASES_EACH), '--seed', SEED, '--workers', '2']
    const kinds = ['--phases', PHASES, '--continue-on-failure']
    const hooks = { SCHEMATHESIS_HOOKS: join(HERE, 'hooks.py'), PYTHONDONTWRITEBYTECODE: '1' }
    const child = startChild(
      [
        ...[program, '--config-file', join(HERE, 'schemathesis.toml'), 'run'],
        ...[...kinds, '--request-timeout', '60'],
        ...[...tls.flat(), ...pace, '--no-color', `${url}/api/v1/openapi.json`],
      ],
      {
        cwd: workDir,
        env: { ...hooks, BOURSE_CLUSTER: 'rome', BOURSE_RESERVATION: reservationId },
      },
    )
    const { code } = await child.exited
    return { code, output: child.output() }
  }
})
