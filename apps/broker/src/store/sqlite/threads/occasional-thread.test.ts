import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CheckpointVerbs } from '../checkpoint-worker.ts'
import { type OpenedStore, openStore } from '../open-store.ts'
import { createOccasionalThread } from './occasional-thread.ts'
import { createCaller } from './thread-call.ts'

let dataDir = ''
let store: OpenedStore
let ended: Promise<void>[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bourse-thread-'))
  store = openStore(dataDir)
  ended = []
})
afterEach(() => {
  store.db.close()
  store.lock.release()
  rmSync(dataDir, { recursive: true })
})

it('starts no thread before the first call', async () => {
  const thread = aThread()
  await thread.close()

  expect(ended).toHaveLength(0)
})

it('ends when it has rested, and starts again for the next call', async () => {
  const thread = aThread({ restMs: 10 })

  await thread.call('checkpoint')
  await ended[0]
  const again = await thread.call('checkpoint')
  await ended[1]
  await thread.close()

  expect(again).toMatchObject({ left: 0 })
  expect(ended).toHaveLength(2)
})

it('serves calls that come together on one thread, and none after closing', async () => {
  const thread = aThread()

  await Promise.all([thread.call('checkpoint'), thread.call('scrub'), thread.call('checkpoint')])
  await thread.close()
  await ended[0]

  expect(ended).toHaveLength(1)
  await expect(thread.call('checkpoint')).rejects.toThrow('The store is closed')
})

it('closes only when a thread that is ending has ended', async () => {
  const thread = aThread({ restMs: 0 })
  let hasEnded = false

  await thread.call('checkpoint')
  void ended[0]?.then(() => {
    hasEnded = true
  })
  await new Promise((resolve) => setTimeout(resolve, 1))
  await thread.close()

  expect(hasEnded).toBe(true)
})

it('tries another thread after one that could not open', async () => {
  const places = [join(dataDir, 'missing'), dataDir]
  const thread = aThread({ placeOf: () => places.shift() ?? dataDir })

  await expect(thread.call('checkpoint')).rejects.toThrow('unable to open')
  const second = await thread.call('checkpoint')
  await thread.close()

  expect(second).toMatchObject({ left: 0 })
})

type Options = Readonly<{ restMs?: number; placeOf?: () => string }>

function aThread({ restMs, placeOf = () => dataDir }: Options = {}) {
  return createOccasionalThread<CheckpointVerbs>(() => {
    const worker = new Worker(new URL('../checkpoint-worker.ts', import.meta.url), {
      workerData: { dataDir: placeOf(), isCache: false },
    })
    ended.push(new Promise((resolve) => worker.once('exit', () => resolve())))
    return createCaller<CheckpointVerbs>(worker, (cause) => {
      throw cause
    })
  }, restMs)
}
