// Budget: 30 seconds. A broker of one's own, as README says to start it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, eventually, repositoryRoot, startChild } from '@bourse/testkit'
import { afterAll, expect, it, onTestFinished } from 'vitest'

const dir = mkdtempSync(join(tmpdir(), 'bourse-embedded-'))
afterAll(() => rmSync(dir, { recursive: true }))
const FLAGS =
  '--http-port=0 --health-probe-bind-address=0 --metrics-bind-address=0 --dashboard-bind-address=0'

it('make run-embedded runs a broker without Kubernetes, and says how to go on', async () => {
  const { broker, api } = await runEmbedded()
  const [issue = '', , look = ''] = commandsOf(broker.output())

  await typed(issue)
  const clusters = await typed(`${look} --broker-url=${api}`)

  expect(issue).toMatch(/^bin\/bourse ca issue rome /)
  expect(clusters).toContain('No cluster has advertised yet.')
})

it('and keeps both for the next start: the ledger and the certificates', async () => {
  const certificate = () => readFileSync(join(dir, 'pki/broker/tls.crt'), 'utf8')
  const before = certificate()

  const { broker } = await runEmbedded()

  expect(certificate()).toBe(before)
  expect(broker.output()).not.toContain('a new ledger was founded')
})

it('make run-broker says without a kubeconfig what there is instead', async () => {
  const env = { KUBECONFIG: join(dir, 'none') }
  const broker = startChild(['make', 'run-broker'], { cwd: repositoryRoot, env })

  expect(await broker.exited).toMatchObject({ code: 2 })
  expect(broker.output()).toContain('make run-embedded runs a broker without one')
})

async function runEmbedded(): Promise<{ broker: Child; api: string }> {
  const command = ['make', 'run-embedded', `DIR=${dir}`, `ARGS=${FLAGS}`]
  const broker = startChild(command, { cwd: repositoryRoot })
  onTestFinished(async () => {
    if (!broker.exit()) broker.kill('SIGTERM')
    await broker.exited
  })
  const api = await eventually('It says where it is', () => {
    if (broker.exit()) throw new Error(broker.output())
    return /"api":"([^"]+)".*the broker is ready/.exec(broker.output())?.[1]
  })
  return { broker, api }
}

/** Without their comments. */
function commandsOf(output: string): string[] {
  return [...output.matchAll(/^ {2}(bin\/.*)$/gm)].map(
    ([, line = '']) => line.split('  #')[0] ?? '',
  )
}

async function typed(command: string): Promise<string> {
  const child = startChild(['/bin/sh', '-c', command], { cwd: repositoryRoot })
  const { code } = await child.exited
  expect(code, `${command}\n${child.output()}`).toBe(0)
  return child.output()
}
