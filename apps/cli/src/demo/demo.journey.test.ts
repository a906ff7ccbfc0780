// Budget: 40 seconds. What the start screen promises, typed as it stands there.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { type Child, eventually, repositoryRoot, startChild } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

describe('the demo', () => {
  const home = mkdtempSync(join(tmpdir(), 'bourse-demo-'))
  let demo: Child
  let screen = ''
  beforeAll(async () => {
    // A relative directory, as in the help: what is printed has to work from elsewhere.
    const command = [`${repositoryRoot}/bin/bourse`, 'demo', '--data-dir', './demo', '--quiet']
    demo = startChild(command, { cwd: home, env: { NO_COLOR: '1' } })
    screen = await eventually('The start screen is there', () => {
      if (demo.exit()) throw new Error(demo.output())
      return demo.output().includes('Ctrl-C stops everything.') ? demo.output() : undefined
    })
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

  it('prints three commands that work, a kill of its broker among them', async () => {
    const [setting = '', reserve = '', explain = '', kill = ''] = commandsOf(screen)

    const reserved = await typed(`${setting}; ${reserve} -o json`)
    const explained = await typed(`${setting}; ${explain}`)
    const survived = await typed(`${setting}; ${kill}`)

    const { id, targetClusterID } = JSON.parse(reserved)
    expect(explained).toMatch(/chosen/)
    expect(survived).toMatch(new RegExp(`${id} .*${targetClusterID}`))
    expect(demo.output()).toContain('The broker went away (SIGKILL); starting it again')
  })

  it('stops everything at Ctrl-C', async () => {
    // A terminal tells everybody in the foreground.
    process.kill(-demo.pid, 'SIGINT')

    expect(await demo.exited, demo.output()).toEqual({ code: 0, signal: null })
    expect(() => process.kill(-demo.pid, 0)).toThrow('ESRCH')
  })
})

function commandsOf(screen: string): string[] {
  const [, below = ''] = screen.split('Try next')
  return [...below.matchAll(/^ {4}(\w.*)$/gm)].map(([, command = '']) => command)
}

async function typed(command: string): Promise<string> {
  const child = startChild(['/bin/sh', '-c', command], { cwd: repositoryRoot })
  const { code } = await child.exited
  expect(code, `${command}\n${child.output()}`).toBe(0)
  return child.output()
}
