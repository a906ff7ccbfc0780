import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@bourse/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { createRunLiqoctl } from './run-liqoctl.ts'

const dir = mkdtempSync(join(tmpdir(), 'bourse-liqoctl-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** A liqoctl that does what the script says. */
function scripted(name: string, script: string): string {
  const path = join(dir, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return path
}
const never = new AbortController().signal

describe('liqoctl as a process', () => {
  it('hands back what it was asked for, and what it told of its progress', async () => {
    const binary = scripted('good', 'echo "$@"; printf "\\r   \\rINFO: Nonce generated\\n" >&2')
    const run = createRunLiqoctl({ binary, kubeconfig: '/rome.kubeconfig', timeoutMs: 60_000 })

    const reply = await run(['unpeer', '--skip-confirm'], never)

    expect(reply).toEqual({
      kind: 'done',
      output: 'unpeer --skip-confirm --timeout=60000ms --kubeconfig=/rome.kubeconfig\n',
      lines: [{ level: 'info', text: 'Nonce generated' }],
    })
  })

  it('tells a failure in its own last words', async () => {
    const script =
      'echo "Ensuring nonce secret" >&2; printf "\\033[31mERRO\\033[0m: error: no way\\n" >&2; exit 1'
    const run = createRunLiqoctl({ binary: scripted('bad', script), timeoutMs: 60_000 })

    const reply = await run(['peer'], never)

    expect(reply).toMatchObject({
      kind: 'failed',
      reason: 'LiqoctlFailed',
      message: 'liqoctl: no way',
    })
  })

  it('says what to do where there is no such program', async () => {
    const run = createRunLiqoctl({ binary: join(dir, 'absent'), timeoutMs: 60_000 })

    const reply = await run(['peer'], never)

    expect(reply).toMatchObject({ kind: 'failed', reason: 'LiqoctlMissing' })
    expect(reply).toHaveProperty('message', expect.stringContaining('name it with --liqoctl.'))
  })

  it('is ended when it hangs, and says what it was at', async () => {
    const script = 'echo "Waiting for tenant status to be filled" >&2; exec sleep 60'
    const run = createRunLiqoctl({
      binary: scripted('hangs', script),
      timeoutMs: 8_000,
      killLaterMs: 0,
    })

    const reply = await run(['peer'], never)

    expect(reply).toMatchObject({
      kind: 'failed',
      reason: 'LiqoctlTimedOut',
      message: 'liqoctl peer did not end within 8 s: Waiting for tenant status to be filled',
    })
  })

  it('says that its time was over when it notices so itself', async () => {
    const script =
      'echo "ERRO: Failed waiting for nonce: timed out waiting for the condition" >&2; exit 1'
    const run = createRunLiqoctl({ binary: scripted('gives-up', script), timeoutMs: 60_000 })

    const reply = await run(['peer'], never)

    expect(reply).toMatchObject({
      reason: 'LiqoctlTimedOut',
      message: expect.stringMatching(/^liqoctl peer did not end within 60 s: Failed waiting/),
    })
  })

  it('does not outlive the signal', async () => {
    const pidFile = join(dir, 'pid')
    const binary = scripted('patient', `echo $$ > ${pidFile}; exec sleep 60`)
    const run = createRunLiqoctl({ binary, timeoutMs: 60_000 })
    const stopping = new AbortController()
    const running = run(['peer'], stopping.signal)
    const pid = await eventually('it runs', () => pidIn(pidFile))

    stopping.abort(new Error('the agent stops'))

    await expect(running).rejects.toThrow('the agent stops')
    await eventually('it is gone', () => !isAlive(pid))
  })
})

function pidIn(path: string): number | undefined {
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) || undefined : undefined
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`)
}
