import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryJournal } from '../../../fixtures/store/memory/memory-journal.ts'
import { aLedger } from '../../../fixtures/store/samples/ledger-samples.ts'
import { acceptRollback, exportStore, importStore } from '../backup/backup.ts'
import { exportFrom } from '../backup/export-elsewhere.ts'
import { NO_HISTORY } from '../port/history.ts'
import { filesIn } from './disk/files.ts'
import { withStore } from './with-store.ts'

describe('background work that fails fails the task', () => {
  let root = ''
  let dataDir = ''
  let ledgerId = ''
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'bourse-task-'))
    dataDir = join(root, 'data')
    await withStore(dataDir, async ({ journal }) => {
      const { found, ledger } = aLedger(journal)
      await found()
      ledgerId = ledger.ledgerId
    })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  })
  afterEach(() => {
    vi.useRealTimers()
    rmSync(root, { recursive: true })
  })

  it('of a task on an embedded store', async () => {
    const task = withStore(dataDir, async () => failInBackground(dataDir))

    await expect(task).rejects.toThrow('bourse.witness')
  })

  it('of an import, which leaves nothing behind', async () => {
    const lines: string[] = []
    await exportStore(dataDir, collecting(lines))
    const copy = join(root, 'copy')

    const imported = importStore(Readable.from(interrupted(lines, copy)), copy)

    await expect(imported).rejects.toThrow('bourse.witness')
    expect(readdirSync(copy)).toEqual([])
  })

  it('of an export from a store elsewhere', async () => {
    const journal = createMemoryJournal()
    await aLedger(journal).found()
    async function* everything() {
      yield NO_HISTORY
      failInBackground(join(root, 'copy-1'))
    }

    const exported = exportFrom({ journal, everything }, collecting([]), root)

    await expect(exported).rejects.toThrow('bourse.witness')
  })

  it('of an accepted rollback', async () => {
    const rollback = { ledgerId, provenIndex: 9, headIndex: 1, found: 'beyond-head' }
    await withStore(dataDir, ({ notes }) => notes.write('rolled-back', JSON.stringify(rollback)))

    const accepted = acceptRollback(dataDir)
    // Its background work is planned once the store is open.
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
    failInBackground(dataDir)

    await expect(accepted).rejects.toThrow('bourse.witness')
  })

  async function* interrupted(lines: readonly string[], copy: string) {
    yield* lines
    failInBackground(join(copy, 'import.partial'))
  }
})

/** The witness is gone, so that it cannot be flushed. */
function failInBackground(dataDir: string): void {
  rmSync(filesIn(dataDir).witness)
  vi.advanceTimersByTime(1_000)
}

function collecting(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
}
