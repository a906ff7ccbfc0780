import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatRates } from '@bourse/domain/quantity'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchRates } from './watch-rates.ts'

const POLL_MS = 10
let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bourse-rates-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

function following(text: string) {
  const path = join(dir, 'rates')
  writeFileSync(path, text)
  const said: string[] = []
  const log = {
    info: (_facts: unknown, message?: string) => void said.push(message ?? ''),
    warn: (message: unknown) => void said.push(String(message)),
  }
  const watched = watchRates({ currency: 'USD', rates: { kind: 'file', path } }, log, POLL_MS)
  const taken: string[] = []
  watched.follow((rates) => void taken.push(formatRates(rates)))
  return { path, said, taken, watched }
}

/** At once, as a mounted ConfigMap changes: a file that is being written is empty for a moment. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.next`, text)
  renameSync(`${path}.next`, path)
}

it('follows its file, and keeps the last good rates when the file goes bad', async () => {
  const { path, said, taken, watched } = following('EUR=1.08 # of Monday\n')

  replace(path, 'EUR=1.10\nGBP=1.27\n')
  await expect.poll(() => taken).toEqual(['EUR=1.08', 'EUR=1.1,GBP=1.27'])
  replace(path, 'EUR=cheap\n')
  await expect.poll(() => said.length).toBe(2)

  expect(said[0]).toBe('the rates of currencies changed')
  expect(said[1]).toContain('"EUR=cheap" is not a rate')
  expect(taken).toHaveLength(2)
  watched.close()
})

it('has none unless it is given some', () => {
  const taken: number[] = []

  watchRates({ currency: 'USD' }, { info() {}, warn() {} }).follow(({ size }) => taken.push(size))

  expect(taken).toEqual([0])
})

it.each([
  { text: 'EUR', says: '"EUR" is not a rate' },
  { text: 'USD=1', says: 'names USD, which is the --currency itself' },
])('refuses to start on $text', ({ text, says }) => {
  expect(() => following(text)).toThrow(says)
})
