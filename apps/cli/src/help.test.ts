import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BIN, bourse } from '../fixtures/test-cli.ts'
import { run } from './run.ts'
import type { Terminal } from './terminal/terminal.ts'
import { verbs } from './verbs.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
const installed = SHELLS.filter((shell) =>
  ['/bin', '/usr/bin'].some((dir) => existsSync(join(dir, shell))),
)
const silent: Terminal = {
  out() {},
  note() {},
  env: {},
  isColourful: false,
  now: Date.now,
  signal: new AbortController().signal,
}
let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bourse-help-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

describe('help', () => {
  it('names every verb that works, and the exit codes', async () => {
    const { code, out } = await bourse(['--help'])

    expect(code).toBe(0)
    expect(verbs.filter(({ name }) => !out.includes(`\n  ${name} `))).toEqual([])
    expect(out).toContain('Exit codes:')
    expect(out).toContain('\n  agent ')
    expect(out).toContain('\n  -V, --version ')
  })

  it.each(verbs.filter(({ name }) => name !== 'version').map(({ name }) => name))(
    'of %s has examples',
    async (name) => {
      const lines: string[] = []

      const code = await run(['help', name], { ...silent, out: (text) => lines.push(text) })

      expect(code).toBe(0)
      expect(lines.join('\n')).toMatch(/Examples:\n {2}\$ /)
    },
  )

  it.each(['--help', '-help', '-h'])('of a daemon is like that of a verb (%s)', async (asked) => {
    const { code, out } = await bourse(['broker', '--http-port=x', asked])
    const words = out.replaceAll(/\s+/g, ' ')

    expect(code).toBe(0)
    expect(words).toContain('Usage: bourse broker [options] run the broker')
    expect(words).toContain('--http-port <number> port of the REST API')
    expect(words).toContain('[BOURSE_HTTP_PORT] (default: 8443)')
    expect(words).toContain('[BOURSE_STORE] (choices: "sqlite", "kubernetes", "postgres")')
    expect(words).toContain('--leader-elect elect one of several brokers')
    expect(out).toContain('\n  --health-probe-bind-address <address>\n    ')
  })

  it('of the plug-in calls it by kubectl, in usage and examples', async () => {
    const lines: string[] = []
    const env = { PATH: '/bin', BOURSE_PROGRAM: '/bin/kubectl-bourse' }
    const asPlugIn = { ...silent, env, out: (text: string) => lines.push(text) }

    for (const verb of [[], ['ledger', 'accept-rollback'], ['completion']])
      await run([...verb, '--help'], asPlugIn)

    const help = lines.join('\n')
    expect(help).toContain('Usage: kubectl bourse VERB')
    expect(help).toContain('$ kubectl bourse ca init && kubectl bourse ca issue broker')
    expect(help).toContain('as `kubectl bourse login` writes it')
    expect(help).toContain('db/bourse kubectl bourse ledger accept-rollback --store postgres')
    expect(help).toContain('source <(kubectl bourse completion bash)')
    expect(help.match(/^(Usage:| {2}\$) bourse/m)).toBeNull()
  })

  it('suggests the verb that was meant', async () => {
    const ended = await bourse(['reserv'])

    expect(ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean reserve or reservations?'),
    })
  })

  it('is pointed to where no verb comes near', async () => {
    const notes: string[] = []

    const code = await run(['list'], { ...silent, note: (text) => notes.push(text) })

    expect(code).toBe(2)
    expect(notes).toEqual(['bourse: There is no verb list.', '`bourse --help` lists all verbs.'])
  })

  it('is named as it has to be typed', async () => {
    const { err } = await bourse(['list'])

    expect(err).toContain(`\`${BIN}bourse --help\` lists all verbs.`)
  })
})

describe('completion', () => {
  it.each(SHELLS)('of %s knows verbs, flags and their values', async (shell) => {
    const { code, out } = await bourse(['completion', shell])

    expect(code).toBe(0)
    expect(out).toContain('uncordon')
    expect(out).toContain('http-cert-path')
    expect(out).toContain('table wide json yaml')
  })

  it.each(installed)('of %s is accepted by the shell itself', async (shell) => {
    const path = join(dir, shell)
    writeFileSync(path, (await bourse(['completion', shell])).out)

    expect(execFileSync(shell, ['-n', path]).toString()).toBe('')
  })

  it('completes in bash what was begun', async () => {
    const complete = await completionIn(join(dir, 'complete'))

    expect(complete('bourse', 'res')).toBe('reserve reservations')
    expect(complete('bourse', 'ca', 'i')).toBe('init issue')
    expect(complete('bourse', 'ca', 'issue', '--op')).toBe('--operator')
    expect(complete('bourse', 'audit', '-o', 'j')).toBe('json')
    expect(complete('bourse', 'broker', '--http-c')).toBe('--http-cert-path')
    expect(complete('bourse', '--v')).toBe('--version')
    expect(complete('bourse', 'completion', 'f')).toBe('fish')
    expect(complete('bourse', 'reservations', '--phase', 'A')).toBe('Active')
    expect(complete('bourse', 'watch', '--only', '')).toBe('reservation cluster peering')
    expect(complete('bourse', 'broker', '--log-level', 'w')).toBe('warn')
    expect(complete('bourse', 'broker', '--log-level', '=', 'w')).toBe('warn')
    expect(complete('bourse', 'broker', '--log-level', '=')).toContain('warn')
    expect(complete('bourse', 'reserve', '--cert-path', '')).toBe('')
    expect(complete('bourse', 'broker', '--data-dir', '=', '')).toBe('')
  })

  it('completes ids in bash, of what the broker has', async () => {
    const broker = 'bourse() { echo "$3-1" "$3-2"; }'
    const complete = await completionIn(join(dir, 'complete-ids'), broker)

    expect(complete('bourse', 'explain', 'r')).toBe('reservations-1 reservations-2')
    expect(complete('bourse', 'release', 'reservations-1', 'r')).toContain('reservations-2')
    expect(complete('bourse', 'cordon', 'c')).toBe('clusters-1 clusters-2')
    expect(complete('bourse', 'reserve', '--target', '')).toBe('clusters-1 clusters-2')
    expect(complete('bourse', 'peerings', 'p')).toBe('peerings-1 peerings-2')
    expect(complete('bourse', 'explain', '--o')).toBe('--output')
  })
})

/** A bash that has loaded the script; `first` runs before it. */
async function completionIn(path: string, first = ':') {
  writeFileSync(path, (await bourse(['completion', 'bash'])).out)
  const typed = (...words: string[]) =>
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; ` +
    `_bourse; echo "\${COMPREPLY[*]}"`
  return (...words: string[]) =>
    execFileSync('bash', ['-c', `${first}; source ${path}; ${typed(...words)}`])
      .toString()
      .trim()
}
