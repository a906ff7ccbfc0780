import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BIN, bourse } from '../../../fixtures/test-cli.ts'

describe('bourse ca', () => {
  it('names the directory in what to do next, unless it is the usual one', async () => {
    const dir = aDirectory()

    const { err } = await bourse(['ca', 'init', '--dir', dir])

    expect(err).toBe(
      `Next: ${BIN}bourse ca issue broker --server --dir ${dir}, ` +
        `then ${BIN}bourse ca issue NAME --dir ${dir} per cluster.\n`,
    )
  })

  it('says what a certificate is for, and when its authority ends it early', async () => {
    const dir = aDirectory()
    await bourse(['ca', 'init', '--dir', dir, '--days', '1'])

    const order = ['--dir', dir, '--dns', 'broker.example.org', '--days', '90']
    const { out, err } = await bourse(['ca', 'issue', 'broker', '--server', ...order])

    const names = 'broker.example.org, localhost, 127.0.0.1, ::1'
    expect(out).toContain(`for broker (server) at ${names}, valid until`)
    expect(err).toContain(`The authority in ${dir} expires then, before --days 90.`)
  })
})

it('bourse demo takes a whole number as its seed', async () => {
  const { code, err } = await bourse(['demo', '--seed', 'abc'])

  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('whole number') })
})

function aDirectory(): string {
  const home = mkdtempSync(join(tmpdir(), 'bourse-ca-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return join(home, 'pki')
}
