import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHeldLog, isFinal, isHeld, startFailure } from './supervised-broker.ts'

describe('the end of a broker', () => {
  const refusal = { code: 1, signal: null, hasBeenReady: false, aliveMs: 1_000 }

  it.each([
    { what: 'a refusal to start', end: refusal },
    { what: 'one that a busy machine came to late', end: { ...refusal, aliveMs: 60_000 } },
    { what: 'one right after a restart', end: { ...refusal, hasBeenReady: true } },
  ])('is final if it is $what', ({ end }) => {
    expect(isFinal(end)).toBe(true)
  })

  it.each([
    { what: 'a kill', end: { ...refusal, code: null, signal: 'SIGKILL' as const } },
    { what: 'a polite stop', end: { ...refusal, code: 0 } },
    { what: 'a crash after a while', end: { ...refusal, hasBeenReady: true, aliveMs: 60_000 } },
  ])('is not if it is $what', ({ end }) => {
    expect(isFinal(end)).toBe(false)
  })
})

it('a log leaves the file alone until it is opened, and then tells all of it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-log-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'broker.log')
  const log = createHeldLog(path)

  log.sink.write('starting\n')
  const wasThere = existsSync(path)
  log.open()
  log.open()
  log.sink.write('ready\n')

  expect(wasThere).toBe(false)
  await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8')).toBe('starting\nready\n')
})

const HELD =
  'bourse: Another broker runs on this directory: process 7 on host since noon.\n' +
  'Stop it first, or choose another --data-dir.\n'
const logFile = '/demo/broker.log'

describe('a demo whose broker does not start', () => {
  it('says how to choose another directory where one runs already', () => {
    const { message } = startFailure({ how: 'exit code 1', complaint: HELD, logFile })

    expect(isHeld(HELD)).toBe(true)
    expect(message).toBe(
      'The broker did not start (exit code 1): Another broker runs on this directory: ' +
        'process 7 on host since noon.\n' +
        'Stop it first, or choose another directory: make run ARGS="--data-dir DIR"',
    )
  })

  it('says what its broker said, and where its log is', () => {
    const complaint = 'bourse: The disk is full.\nMake room.\n'

    const { message } = startFailure({ how: 'exit code 1', complaint, logFile })

    expect(isHeld(complaint)).toBe(false)
    expect(message).toBe(
      'The broker did not start (exit code 1): The disk is full. Make room.\n' +
        'Its log: /demo/broker.log',
    )
  })
})
