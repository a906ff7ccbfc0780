import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { aBatch, staled } from '../../../fixtures/store/samples/journal-samples.ts'
import { NO_HEAD } from '../codec/batch.ts'
import { type OpenedStore, openStore } from './open-store.ts'
import { createStoreVerbs, type StoreVerbs } from './store-verbs.ts'

let dataDir = ''
let store: OpenedStore
let verbs: StoreVerbs
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bourse-full-'))
  store = openStore(dataDir)
  verbs = createStoreVerbs(store)
})
afterEach(() => {
  verbs.close()
  rmSync(dataDir, { recursive: true })
})

const large = aBatch(NO_HEAD, { events: [staled('x'.repeat(50_000))] })

it('cannot commit while the disk is full, and takes the identical batch later', () => {
  setRoom('none')

  const refused = verbs.append(large)
  setRoom('plenty')
  const accepted = verbs.append(large)

  expect(refused).toMatchObject({
    kind: 'unknown',
    cause: { message: expect.stringContaining('full') },
  })
  expect(accepted).toEqual({ kind: 'committed' })
  expect(verbs.state()).toMatchObject({ head: { index: 1, hash: large.hash } })
})

it('leaves the state as it was when a chunk finds no room', () => {
  const id = verbs.beginSnapshot(NO_HEAD)
  const before = verbs.state()
  setRoom('none')

  expect(() => verbs.writeChunk(id, 'x'.repeat(50_000))).toThrow('full')

  expect(verbs.state()).toEqual(before)
})

it('takes a batch whose note the witness could not write only once it is noted', () => {
  const { note } = store.witness
  Object.assign(store.witness, {
    note: () => {
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    },
  })

  const unsure = verbs.append(large)
  Object.assign(store.witness, { note })
  const sure = verbs.append(large)

  expect([unsure.kind, sure.kind]).toEqual(['unknown', 'committed'])
})

/** SQLite answers "database or disk is full" when it may not grow, exactly as for a full disk. */
function setRoom(room: 'none' | 'plenty'): void {
  store.db.exec(`PRAGMA max_page_count = ${room === 'none' ? 1 : 1_000_000}`)
}
