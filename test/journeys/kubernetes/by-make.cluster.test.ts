// Budget: 60 seconds.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Child,
  eventually,
  fetchAnew,
  quietPorts,
  repositoryRoot,
  startChild,
} from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { here, run } from '../../kubernetes/chart.ts'
import { aClusterAdvertisement, aReservation, objectsOf, type Seen, TIMEOUT_MS } from './objects.ts'

const plane = useControlPlane({ withControllers: true })
const dataDir = mkdtempSync(join(tmpdir(), 'bourse-by-make-'))
let kubernetes = ''
const COUNT = 'count/reservations.broker.fluidos.eu'
let healthUrl = ''
let broker: Child

beforeAll(async () => {
  const { stdout } = await run('tools/build-kubernetes', ['--where'], here)
  kubernetes = stdout.trim()
  await make('install').exited
  const policies = join(repositoryRoot, 'config/admission')
  await plane().kubectl(['apply', '--server-side', `--kustomize=${policies}`])
  const [health = 0] = await quietPorts(1)
  healthUrl = `http://127.0.0.1:${health}/readyz`
  const ports = [`health-probe-bind-address=127.0.0.1:${health}`, 'metrics-bind-address=0']
  const flags = [...ports, 'dashboard-bind-address=0', `data-dir=${dataDir}`]
  broker = make('run-broker', `ARGS=${flags.map((flag) => `--${flag}`).join(' ')}`)
  await eventually('The broker is ready', isReady, TIMEOUT_MS)
})
afterAll(() => {
  if (!broker?.exit()) broker?.kill('SIGKILL')
  rmSync(dataDir, { recursive: true })
})

/** As a user types it, with kubectl and the current kubeconfig at hand. */
function make(...words: readonly string[]): Child {
  const PATH = `${kubernetes}:${process.env.PATH}`
  const env = { KUBECONFIG: plane().adminKubeconfig, PATH }
  return startChild(['make', ...words], { cwd: repositoryRoot, env })
}

async function isReady(): Promise<true | undefined> {
  if (broker.exit()) throw new Error(broker.output())
  const { ok } = await fetchAnew(healthUrl).catch(() => ({ ok: false }))
  return ok || undefined
}

const isReserved = ({ status }: Seen) => status?.phase === 'Reserved'

it('1. a namespace of a tenant has as many reservations as its quota says, and no more', async () => {
  const { kubectl } = plane()
  const { apply } = objectsOf(plane())
  await kubectl(['create', 'namespace', 'team-a'])
  await limit('team-a', 1)

  await apply(aClusterAdvertisement('paris', 'paris', '10'))
  await apply(aReservation('one', {}, 'team-a'))
  const second = apply(aReservation('two', {}, 'team-a'))

  await expect(second).rejects.toThrow(`exceeded quota: reservations, requested: ${COUNT}=1`)
  await kubectl(['wait', '--for=condition=Ready', 'rsv/one', '-n=team-a', '--timeout=60s'])
})

/** The count is begun here: Kubernetes' own controller takes up to a minute to learn of a kind. */
async function limit(namespace: string, most: number): Promise<void> {
  const { kubectl } = plane()
  const own = `--namespace=${namespace}`
  await kubectl(['create', 'quota', 'reservations', `--hard=${COUNT}=${most}`, own])
  const status = { hard: { [COUNT]: `${most}` }, used: { [COUNT]: '0' } }
  const how = ['--subresource=status', '--type=merge', own]
  await kubectl(['patch', 'quota/reservations', ...how, `--patch=${JSON.stringify({ status })}`])
}

it('2. which are released with the namespace', async () => {
  const { kubectl } = plane()
  const { until } = objectsOf(plane())

  await kubectl(['delete', 'namespace', 'team-a', '--timeout=60s'])

  await until('cadv', 'paris', ({ status }) => status?.available?.cpu === '10')
})

it('3. uninstalling beside a running broker waits for nothing and leaves nothing', async () => {
  const { kubectl } = plane()
  const { apply, until } = objectsOf(plane())
  await apply(aReservation('held'), aReservation('failed', { requestedResources: { cpu: '99' } }))
  await until('rsv', 'held', isReserved)

  const uninstall = make('uninstall')
  const { code } = await uninstall.exited
  broker.kill('SIGKILL')

  expect(uninstall.output()).not.toContain('taking the finalizers off')
  expect(code).toBe(0)
  expect(await kubectl(['get', 'crd', '--output=name'])).toBe('')
})
