import type { LedgerSettings } from '@bourse/domain/ledger'
import type { SharedStore } from '../port/store.ts'
import type { StoreNotes } from '../port/store-notes.ts'
import { createRemoteExplainer } from '../replay/explainer.ts'
import { type Database, openDatabase } from './database.ts'
import { createPostgresHistory, everythingIn } from './postgres-history.ts'
import { createPostgresJournal } from './postgres-journal.ts'

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

/** A row for each. */
function createPostgresNotes({ questions: sql }: Pick<Database, 'questions'>): StoreNotes {
  return {
    async read(name) {
      const [row] = await sql<{ text: string }[]>`select text from notes where name = ${name}`
      return row?.text
    },
    async write(name, text) {
      await sql`insert into notes values (${name}, ${text})
        on conflict (name) do update set text = excluded.text`
    },
    async remove(name) {
      await sql`delete from notes where name = ${name}`
    },
  }
}
