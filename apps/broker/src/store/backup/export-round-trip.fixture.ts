import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect } from 'vitest'
import type { SharedStore } from '../port/store.ts'
import { aLedger, replayed } from '../samples/ledger-samples.fixture.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'
import { exportFrom } from './export-elsewhere.ts'
import { importStore } from './import-store.ts'

type Source = Pick<SharedStore, 'journal' | 'history' | 'secureHistory' | 'everything'>

/** Fills a shared store, exports it, imports that into a directory, and compares. */
export async function checkRoundTrip(source: Source, scratch: string): Promise<void> {
  const { ledger, ended } = await fill(source)

  const { into, bytes } = gathered()
  const exported = await exportFrom(source, into, scratch)
  const dataDir = join(scratch, 'restored')
  const options = { newLedgerId: () => 'ledger-2' }
  const imported = await importStore(Readable.from(bytes()), dataDir, options)

  expect(exported).toMatchObject({ snapshots: 1, batches: 2, ended: 1, tombstones: 1 })
  expect(imported).toMatchObject({ ledgerId: 'ledger-2', from: 'ledger-1' })
  const restored = await openSqliteStore({ dataDir, crash })
  const after = await replayed(restored.journal)
  expect(Array.from(after.ledger.reservations())).toEqual(Array.from(ledger.reservations()))
  expect(Array.from(after.ledger.peerings())).toEqual(Array.from(ledger.peerings()))
  expect(after.ledger.peering('ps-1')?.messages).toEqual({ hello: 'h', nonce: 'n' })
  expect(await restored.history.ended(ended.id)).toEqual(ended)
  // What ended after the moment of the export has not ended yet, to the ledger that was restored.
  expect(await restored.history.ended('rsv-later')).toBeUndefined()
  expect(await restored.history.recordedThrough()).toBe(exported.head.index)
  expect(await restored.history.request('rest', 'rome', 'r9')).toEqual({ kind: 'tombstone' })
  await restored.close()
}

async function fill({ journal, history, secureHistory }: Source) {
  const { found, execute, advertise, reserve, snapshot, head, ledger } = aLedger(journal)
  await found()
  await advertise('paris', 100_000n)
  const reservation = await reserve(1_000n)
  const ended = { ...reservation, id: 'rsv-0', phase: 'Released', endedAt: 900 } as const
  const session = { id: 'ps-1', requester: 'rome', provider: 'paris' } as const
  await execute({ kind: 'openPeering', ...session, networking: 'none', hello: 'h' })
  await snapshot()
  await reserve(2_000n)
  await execute({ kind: 'postPeering', id: 'ps-1', from: 'paris', step: 'nonce', sealed: 'n' })
  const later = { ...ended, id: 'rsv-later', changedIndex: head().index + 1 }
  const tombstones = [{ door: 'rest', requester: 'rome', requestId: 'r9', at: 1_000 }]
  const through = head().index + 1
  await history.record({ through, decisions: [], ended: [ended, later], tombstones })
  await secureHistory?.()
  return { ledger, ended }
}

/** Somewhere to write to. */
export function gathered() {
  const parts: Buffer[] = []
  const into = new Writable({
    write(part, _encoding, done) {
      parts.push(part)
      done()
    },
  })
  return { into, bytes: () => Buffer.concat(parts) }
}

function crash(cause: Error): never {
  throw cause
}
