import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readBrokerConfig } from '../config/index.ts'
import { reachKubernetes } from './reach-kubernetes.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bourse-home-'))
  vi.stubEnv('HOME', home)
  vi.stubEnv('KUBECONFIG', '')
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

it('says what an election of brokers on a database needs where there is no API server', async () => {
  const flags = ['--store=postgres', '--postgres-url=postgres://db/bourse', '--leader-elect']

  await expect(reachKubernetes(await configOf(flags))).rejects.toThrow(
    '--leader-elect elects by a Lease on an API server, also with --store=postgres: give ' +
      '--kubeconfig=FILE, or run one broker without --leader-elect.',
  )
})

it('needs none for one broker on a database', async () => {
  const flags = ['--store=postgres', '--postgres-url=postgres://db/bourse']

  expect(await reachKubernetes(await configOf(flags))).toBeUndefined()
})

async function configOf(flags: readonly string[]) {
  const argv = ['--broker-interface=http', '--http-cert-path=/certs', ...flags]
  const read = await readBrokerConfig({ argv, env: {} })
  if (read.kind === 'bad') throw new Error(read.problems.join(' '))
  return read.config
}
