// Budget: 50 seconds. What the start screen promises, typed as it stands there.
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { type Child, eventually, quietPorts, repositoryRoot, startChild } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

/** A broker, its clusters and a first reservation, while the machine is busy with other things. */
const READY_WITHIN_MS = 120_000
/** The last line of the start screen. */
const STARTED = 'Ctrl-C stops everything.'

describe('the demo', () => {
  const home = mkdtempSync(join(tmpdir(), 'bourse-demo-'))
  let demo: Child
  let screen = ''
  beforeAll(async () => {
    // Of its own: another demo on this machine could take the default ones while its broker is away.
    const [port, pagePort] = await quietPorts(2)
    demo = startDemo(home, `--port=${port}`, `--page-port=${pagePort}`)
    screen = await screenOf(demo)
  })
  afterAll(() => {
    if (!demo.exit()) demo.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })

  it('says what runs where', async () => {
    const [, page = ''] = /Live page +(\S+)/.exec(screen) ?? []
    const [, dataDir = ''] = /Data +(\S+)/.exec(screen) ?? []

    expect((await fetch(page)).status).toBe(200)
    expect(isAbsolute(dataDir)).toBe(true)
    expect(screen).toMatch(/First reservation: rome holds .* on \w+ \(rsv-/)
  })

  it('is as large as README says: the clusters named there are eight', () => {
    const [, clusters = ''] = /Clusters +(.*)/.exec(screen) ?? []

    expect(clusters.split(', ')).toHaveLength(8)
    expect(screen).toContain('a demo federation of 8 clusters')
  })

  it('serves the commands that README says to try', async () => {
    const [setting = ''] = commandsOf(screen)
    const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')
    const [, section = ''] = readme.split(/^## Try it$/m)
    const [tried = ''] = section.split(/^## /m)
    const said = [...tried.matchAll(/^(bin\/bourse (clusters|evaluate|reserve|audit)\b.*)$/gm)]

    for (const [, command = ''] of said) await typed(`${setting}; ${command}`)

    expect(said.map(([, , verb]) => verb)).toEqual(['clusters', 'evaluate', 'reserve', 'audit'])
  })

  it('names the commands for a broker of one’s own', () => {
    expect(screen).toContain('A broker of your own: make run-embedded')
    expect(screen).toContain('make install && make run-broker')
  })

  it('holds for eight hours what is reserved without a duration', async () => {
    const [setting = ''] = commandsOf(screen)

    const reserved = await typed(`${setting}; bin/bourse reserve --requester rome --cpu 1`)

    expect(reserved).toMatch(/expires in (8h|7h5\dm)/)
    expect(reserved).toContain('No --duration was given: held until')
  })

  it('leaves a running one alone: a second on its directory says why not', async () => {
    const config = readFileSync(join(home, 'demo', 'config.yaml'), 'utf8')

    const second = startDemo(home)

    expect(await second.exited).toMatchObject({ code: 1 })
    expect(second.output()).toMatch(/did not start .*: Another broker runs on this .*process \d+/)
    expect(second.output()).toContain('make run ARGS="--data-dir DIR"')
    expect(readFileSync(join(home, 'demo', 'broker.log'), 'utf8')).not.toContain('Another broker')
    expect(readFileSync(join(home, 'demo', 'config.yaml'), 'utf8')).toBe(config)
  })

  it('prints three commands that work, a kill of its broker among them', async () => {
    const [setting = '', reserve = '', explain = '', kill = ''] = commandsOf(screen)

    const reserved = await typed(`${setting}; ${reserve} -o json`)
    const explained = await typed(`${setting}; ${explain}`)
    const survived = await Promise.race([typed(`${setting}; ${kill}`), endOf(demo)])

    const { id, targetClusterID } = JSON.parse(reserved)
    expect(explained).toMatch(/chosen/)
    expect(survived).toMatch(new RegExp(`${id} .*${targetClusterID}`))
    const isBack = /stopped \(SIGKILL\); restarting it .*\nIt is back, process \d+/
    await eventually('It tells that it is back', () => isBack.test(demo.output()))
    expect(demo.output()).not.toContain('cannot watch')
  })

  it('stops everything at Ctrl-C', async () => {
    // A terminal signals every process in the foreground.
    process.kill(-demo.pid, 'SIGINT')

    expect(await demo.exited, demo.output()).toEqual({ code: 0, signal: null })
    await expect.poll(() => isAlive(-demo.pid)).toBe(false)
  })

  it.each(['pki/broker', 'ledger'])(
    'ends without a word at a Ctrl-C that comes while it starts, once there is %s',
    async (place) => {
      const home = mkdtempSync(join(tmpdir(), 'bourse-demo-'))
      onTestFinished(() => rmSync(home, { recursive: true, force: true }))
      const begun = startDemo(home)
      await eventually('It has begun', () => existsSync(join(home, 'demo', place)))

      process.kill(-begun.pid, 'SIGINT')

      expect(await begun.exited, begun.output()).toEqual({ code: 0, signal: null })
      // Nothing, or its whole start screen if it was quicker than we.
      expect(['', expect.stringContaining(STARTED)]).toContainEqual(begun.output())
    },
  )

  it('says that a port is taken which it was told to use', async () => {
    const home = mkdtempSync(join(tmpdir(), 'bourse-demo-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo

    const begun = startDemo(home, '--port', String(port))

    expect(await begun.exited).toMatchObject({ code: 1 })
    expect(begun.output()).toMatch(new RegExp(`${port}.* choose another port with --port`))
  })

  it('takes its broker along when it is killed', async () => {
    const killed = startDemo(home)
    const [, broker] = /Broker +process (\d+)/.exec(await screenOf(killed)) ?? []

    // It alone, as `kill -9` does.
    process.kill(killed.pid, 'SIGKILL')

    await expect.poll(() => isAlive(Number(broker))).toBe(false)
  })
})

/** A relative directory, as in the help: what is printed has to work from elsewhere. */
function startDemo(home: string, ...flags: string[]): Child {
  const demo = [`${repositoryRoot}/bin/bourse`, 'demo', '--data-dir', './demo', '--quiet']
  const command = [...demo, ...flags]
  return startChild(command, { cwd: home, env: { NO_COLOR: '1' } })
}

function screenOf(demo: Child): Promise<string> {
  const shown = () => {
    if (demo.exit()) throw new Error(demo.output())
    return demo.output().includes(STARTED) ? demo.output() : undefined
  }
  return eventually('The start screen is there', shown, READY_WITHIN_MS)
}

/** Rejects with its last words: a command that waits for its broker would wait for ever. */
async function endOf(demo: Child): Promise<never> {
  await demo.exited
  throw new Error(`The demo has ended: ${demo.output()}`)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function commandsOf(screen: string): string[] {
  const [, below = ''] = screen.split('Try next')
  return [...below.matchAll(/^ {4}(\S.*)$/gm)].map(([, command = '']) => command)
}

async function typed(command: string): Promise<string> {
  const child = startChild(['/bin/sh', '-c', command], { cwd: repositoryRoot })
  const { code } = await child.exited
  expect(code, `${command}\n${child.output()}`).toBe(0)
  return child.output()
}
