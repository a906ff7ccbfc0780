import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bourse } from '../../fixtures/test-cli.ts'
import { prepareDirectory } from './directory.ts'

const home = mkdtempSync(join(tmpdir(), 'bourse-directory-'))
const file = join(home, 'file')
writeFileSync(file, '')
afterAll(() => rmSync(home, { recursive: true }))

it('is made with all above it, and may be there already', () => {
  const dir = join(home, 'a', 'b')

  prepareDirectory(dir, 0o700)
  prepareDirectory(dir, 0o700)

  expect(statSync(dir).mode & 0o777).toBe(0o700)
})

describe('a place where nothing can be made is named in a sentence', () => {
  // No directory can be created below /proc: Node's own mkdir would try for ever.
  it.each([
    { argv: ['ca', 'init', '--dir', '/proc/x/y'], says: '/proc/x/y cannot be created.' },
    { argv: ['ca', 'init', '--dir', `${file}/x`], says: `${file}/x is not a directory, or is` },
    { argv: ['ca', 'init', '--dir', file], says: `${file} is not a directory, or is` },
    { argv: ['demo', '--data-dir', '/proc/x'], says: '/proc/x cannot be created.' },
    { argv: exportTo('/nope/x'), says: 'There is no directory /nope.' },
    { argv: exportTo(`${file}/x`), says: `${file} is not a directory, or is` },
  ])('$argv', async ({ argv, says }) => {
    const { code, err } = await bourse(argv)

    expect(code).toBe(1)
    expect(err).toContain(`bourse: ${says}`)
    expect(err).toContain('Choose another directory.')
  })
})

function exportTo(out: string): string[] {
  return ['ledger', 'export', '--data-dir', home, '--out', out]
}
