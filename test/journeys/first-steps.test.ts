// Budget: 30 seconds. A broker of one's own, by what README and the screen say to type.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, eventually, repositoryRoot, startChild } from '@bourse/testkit'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'

/** Other tests run beside this one, on the usual ports. */
const PORTS = ['http-port', 'health-probe-bind-address', 'metrics-bind-address']
/** Certificates and a broker, while the machine is busy with other things. */
const READY_WITHIN_MS = 120_000
const FLAGS = [...PORTS, 'dashboard-bind-address'].map((flag) => `--${flag}=0`).join(' ')

describe('make run-embedded', () => {
  const dir = aDirectory()
  const command = ['make', 'run-embedded', `DIR=${dir}`, `ARGS=${FLAGS}`]

  it('runs a broker without Kubernetes, and says how to go on', async () => {
    const { broker, api } = await isReady(startChild(command, { cwd: repositoryRoot }))
    const said = [...broker.output().matchAll(/^ {2}(bin\/.*?)(?: {2,}#.*)?$/gm)]
    const [issue = '', , look = ''] = said.map(([, line = '']) => line)

    await typed(issue)
    const clusters = await typed(`${look} --broker-url=${api}`)

    expect(issue).toContain('bin/bourse ca issue rome ')
    expect(clusters).toContain('No cluster has advertised yet.')
  })

  it('keeps both for the next start: the ledger and the certificates', async () => {
    const certificate = () => readFileSync(join(dir, 'pki/broker/tls.crt'), 'utf8')
    const before = certificate()

    const { broker } = await isReady(startChild(command, { cwd: repositoryRoot }))

    expect(certificate()).toBe(before)
    expect(broker.output()).not.toContain('a new ledger was founded')
  })
})

it('make run-broker says without a kubeconfig what there is instead', async () => {
  const env = { KUBECONFIG: join(aDirectory(), 'none') }
  const broker = startChild(['make', 'run-broker'], { cwd: repositoryRoot, env })

  expect(await broker.exited).toMatchObject({ code: 2 })
  expect(broker.output()).toContain('make run-embedded runs a broker without one')
})

it('README makes a federation, and a reservation in it, by what it says to type', async () => {
  const dir = aDirectory()
  const [first = '', others = '', calls = ''] = examplesOf('A federation of your own')
  const start = /^bin\/broker .*?(?=\s*#|$)/m.exec(first)?.[0] ?? ''

  await typed(first.replace(start, ''), dir)
  const child = startChild(['/bin/sh', '-c', `exec ${whole(start)} ${FLAGS}`], { cwd: dir })
  const { api } = await isReady(child)
  await typed(others, dir)
  const answers = await typed(calls.replaceAll('https://localhost:8443', api), dir)

  expect(answers).toContain('Reserved on paris')
})

function aDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-first-steps-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  return dir
}

async function isReady(broker: Child): Promise<{ broker: Child; api: string }> {
  onTestFinished(async () => {
    if (!broker.exit()) broker.kill('SIGTERM')
    await broker.exited
  })
  const api = await eventually(
    'It says where it is',
    () => {
      if (broker.exit()) throw new Error(broker.output())
      return /"api":"([^"]+)".*the broker is ready/.exec(broker.output())?.[1]
    },
    READY_WITHIN_MS,
  )
  return { broker, api }
}

/** What a section of README says to type, block by block. */
function examplesOf(section: string): string[] {
  const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')
  const [, text = ''] = readme.split(`\n## ${section}\n`)
  const [within = ''] = text.split('\n## ')
  return [...within.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, example = '']) => example)
}

const whole = (command: string) => command.replaceAll(/^bin\//gm, `${repositoryRoot}/bin/`)

async function typed(command: string, cwd = repositoryRoot): Promise<string> {
  const child = startChild(['/bin/sh', '-euc', whole(command)], { cwd })
  const { code } = await child.exited
  expect(code, `${command}\n${child.output()}`).toBe(0)
  return child.output()
}
