import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeJournal } from '../port/journal.contract.ts'
import { openSqliteStore, type SqliteStore } from './sqlite-store.ts'

describeJournal('sqlite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bourse-journal-'))
  const stores: SqliteStore[] = []
  return {
    open: async () => {
      const store = await openSqliteStore({
        dataDir,
        crash: (cause) => {
          throw cause
        },
      })
      stores.push(store)
      return store.journal
    },
    cleanUp: async () => {
      for (const store of stores) await store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
})
