import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@bourse/testkit'
import { expect, it } from 'vitest'
import { aBatch, staled } from '../../../fixtures/store/samples/journal-samples.ts'
import { NO_HEAD } from '../codec/batch.ts'
import { keepLogShort } from './checkpoints.ts'
import { filesIn } from './disk/files.ts'
import { openSqliteStore } from './sqlite-store.ts'

it.each([
  { what: 'a store', isCache: false },
  { what: 'a cache', isCache: true },
])('moves a long log of $what into its database while it is open', async ({ isCache }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bourse-log-'))
  const store = await openSqliteStore({ dataDir, isCache, crash: rethrow })
  const large = aBatch(NO_HEAD, { events: [staled('x'.repeat(18_000_000))] })

  await store.journal.append(large)

  await eventually(
    'the batch is in the database file',
    () => statSync(filesIn(dataDir).database).size > 18e6,
  )
  await store.close()
  rmSync(dataDir, { recursive: true })
})

it('lives with a full disk, and tries again', async () => {
  const causes: Error[] = []
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  const log = aLog({ flushFailing: [full], crash: (cause) => causes.push(cause) })

  await eventually('it looks again', () => log.looks() > 0)
  await log.stop()

  expect(causes).toEqual([])
})

it('does not live with a flush that failed', async () => {
  const causes: Error[] = []
  const failed = Object.assign(new Error('i/o error'), { code: 'EIO' })
  const log = aLog({ flushFailing: [failed], crash: (cause) => causes.push(cause) })

  await eventually('the broker is told', () => causes.length > 0)
  await log.stop()

  expect(causes).toEqual([failed])
})

type Options = Readonly<{ flushFailing: Error[]; crash(cause: Error): void }>

function aLog({ flushFailing, crash }: Options) {
  let looks = 0
  const kept = keepLogShort({
    logLength: async () => {
      looks++
      return { frames: 0, left: 0 }
    },
    checkpoint: async () => ({ frames: 0, left: 0 }),
    endCheckpoint: async () => {},
    flushWitness: async () => {
      const failure = flushFailing.shift()
      if (failure) throw failure
    },
    crash,
  })
  return { ...kept, looks: () => looks }
}

function rethrow(cause: Error): never {
  throw cause
}
