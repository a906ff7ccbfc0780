import type { LedgerSettings } from '@bourse/domain/ledger'
import type { SharedStore } from '../port/store.ts'
import { createRemoteExplainer } from '../replay/explainer.ts'
import { openDatabase } from './database.ts'
import { everythingIn } from './everything.ts'
import { createPostgresHistory } from './postgres-history.ts'
import { createPostgresJournal } from './postgres-journal.ts'
import { createPostgresNotes } from './postgres-notes.ts'

type Settings = Readonly<{ url: string; schema?: string; settings: LedgerSettings }>

/** The ledger in a PostgreSQL database, for several brokers of which one leads. */
export async function openPostgresStore({
  url,
  schema = 'bourse',
  settings,
}: Settings): Promise<SharedStore> {
  const database = await openDatabase({ url, schema })
  const journal = createPostgresJournal(database)
  return {
    journal,
    history: createPostgresHistory(database.questions),
    notes: createPostgresNotes(database),
    everything: () => everythingIn(database.questions),
    notices: database.notices,
    ...createRemoteExplainer({ journal, settings }),
    trouble: () => undefined,
    noteAddress: async () => {},
    close: database.close,
  }
}
