import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { typed } from '../../../fixtures/typed.ts'

it.each([['verify'], ['export', '--out', join(tmpdir(), 'bourse-never-written.jsonl')]])(
  'ends with 4 where there is no ledger to %s',
  async (...verb) => {
    const empty = mkdtempSync(join(tmpdir(), 'bourse-empty-'))

    const missing = await typed(['ledger', ...verb, '--data-dir', '/nonexistent'])
    const bare = await typed(['ledger', ...verb, '--data-dir', empty])

    expect(missing).toMatchObject({
      code: 4,
      err: 'bourse: There is no ledger in /nonexistent.\nCheck --data-dir.',
    })
    expect(bare.code).toBe(4)
    rmSync(empty, { recursive: true })
  },
)
