import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeHistory } from '../port/history.contract.ts'
import { openSqliteStore } from './sqlite-store.ts'

describeHistory('sqlite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bourse-history-'))
  const store = await openSqliteStore({
    dataDir,
    crash: (cause) => {
      throw cause
    },
  })
  return {
    history: store.history,
    cleanUp: async () => {
      // After all recording and pruning, the sums of what is left must add up.
      await store.scrub()
      await store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
})
