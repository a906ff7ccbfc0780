import type { StoreNotes } from '../port/store-notes.ts'
import type { Database } from './database.ts'

/** A row for each. */
export function createPostgresNotes({ questions: sql }: Pick<Database, 'questions'>): StoreNotes {
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
