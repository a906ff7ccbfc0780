import type { History } from '../port/history.ts'
import { collect } from '../samples/journal-samples.fixture.ts'
import { replayed } from '../samples/ledger-samples.fixture.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'

/** All that a data directory holds, a line of JSON for each thing. Opening it writes to it. */
export async function contentsOf(dataDir: string): Promise<string> {
  const store = await openSqliteStore({ dataDir, crash })
  try {
    const { ledger, head } = await replayed(store.journal)
    const { ledgerId, lastNumber, lastAt, ...lists } = ledger.capture()
    const history = await historyOf(store.history, lists.reservations)
    const lines = Object.entries({ ...lists, ...history }).flatMap(([kind, items]) =>
      items.map((item) => line({ [kind]: item })),
    )
    return [line({ ledger: { ledgerId, lastNumber, lastAt, head } }), ...lines, ''].join('\n')
  } finally {
    await store.close()
  }
}

type Decided = Parameters<History['decision']>[0]

async function historyOf(history: History, live: readonly Decided[]) {
  const ended = await history.listEnded({ limit: 1_000 })
  const decisions = await Promise.all([...live, ...ended].map((one) => history.decision(one)))
  const requests = (await collect(history.requestKeys())).flat().toSorted()
  return { ended, decisions: decisions.filter((one) => one !== undefined), requests }
}

/** By a printer of its own: the codec is what is tested. */
const line = (item: object): string =>
  JSON.stringify(item, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))

function crash(cause: Error): never {
  throw cause
}
