import { KubeError } from '@bourse/kube'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { StoreUnusable } from '../port/store-errors.ts'
import { awaitStore } from './await-store.ts'

const log = pino({ level: 'silent' })

describe('awaitStore', () => {
  it.each([
    { name: 'an API server that is starting', failure: kubeError(503) },
    { name: 'an API server that does not answer', failure: kubeError(0) },
    {
      name: 'a database that is away',
      failure: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
    },
  ])('waits for $name', async ({ failure }) => {
    let attempts = 0
    const open = async () => {
      if (attempts++ === 0) throw failure
      return 'open'
    }

    expect(await awaitStore(open, { log })).toBe('open')
  })

  it.each([
    { name: 'a lack of rights', failure: kubeError(403) },
    { name: 'a wrong layout', failure: new StoreUnusable('wrong', 'change it') },
  ])('does not wait for $name to pass', async ({ failure }) => {
    const open = async () => {
      throw failure
    }

    await expect(awaitStore(open, { log })).rejects.toBe(failure)
  })

  it('gives up when the broker is told to stop', async () => {
    const stopping = new AbortController()
    const waiting = awaitStore(() => Promise.reject(kubeError(503)), {
      log,
      signal: stopping.signal,
    })

    stopping.abort()

    await expect(waiting).rejects.toThrow()
  })
})

function kubeError(status: number): KubeError {
  return new KubeError('no', { status, reason: 'Test' })
}
