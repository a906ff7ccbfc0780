import { MessageChannel, type Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCaller, serve } from './thread-call.ts'

/** SQLite's result code when the operating system could not flush a file. */
const IOERR_FSYNC = 1034
const FULL = 13

describe('a call to the thread of the store', () => {
  it('ends the broker when a flush has failed: what the disk has is unknown', async () => {
    const { call, crashes } = aStore(() => {
      throw failure('disk I/O error', IOERR_FSYNC)
    })

    await expect(call('append')).rejects.toThrow('disk I/O error')

    expect(crashes).toMatchObject([{ message: 'disk I/O error' }])
  })

  it('also for what was not asked for by a commit', async () => {
    const { call, crashes } = aStore(() => {
      throw failure('disk I/O error', IOERR_FSYNC)
    })

    await expect(call('record')).rejects.toThrow('disk I/O error')

    expect(crashes).toHaveLength(1)
  })

  it('only fails when nothing was written, as for want of room', async () => {
    const { call, crashes } = aStore(() => {
      throw failure('database or disk is full', FULL)
    })

    await expect(call('record')).rejects.toMatchObject({ trouble: 'refused' })

    expect(crashes).toEqual([])
  })

  it('is a commit that goes through however many questions wait', async () => {
    const { call, crashes } = aStore(() => 'done')
    const questions = Array.from({ length: 20_000 }, () => call('record'))

    const appended = await call('append')

    expect(appended).toBe('done')
    await Promise.all(questions)
    expect(crashes).toEqual([])
  })
})

function aStore(work: () => unknown) {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const crashes: Error[] = []
  serve(port1, { open: () => ({ append: work, record: work }), deferrable: new Set() })
  // Of a thread, only its messages matter here.
  const worker = port2 as unknown as Worker
  const { call } = createCaller<Record<'append' | 'record', () => unknown>>(worker, (cause) => {
    crashes.push(cause)
  })
  return { call, crashes }
}

function failure(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { errcode })
}
