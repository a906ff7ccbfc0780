import { openSqliteStore, type SqliteStore } from './sqlite-store.ts'

/** An embedded store for one task of a tool, which fails if the store's background work does. */
export async function withStore<T>(
  dataDir: string,
  task: (store: SqliteStore) => Promise<T>,
): Promise<T> {
  let failure: Error | undefined
  const crash = (cause: Error) => {
    failure = cause
  }
  const store = await openSqliteStore({ dataDir, crash })
  const done = await task(store).finally(store.close)
  // Closing waits for the background work that is under way.
  if (failure) throw failure
  return done
}
