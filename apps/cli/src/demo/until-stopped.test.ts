import { describe, expect, it } from 'vitest'
import { untilStopped } from './until-stopped.ts'

const NEVER = new Promise<never>(() => {})

describe('work that Ctrl-C may end', () => {
  it('is done without a signal', async () => {
    expect(await untilStopped(new AbortController().signal, Promise.resolve('ready'))).toBe('ready')
  })

  it('is left at once, however long it would still take', async () => {
    const end = new AbortController()
    const waiting = untilStopped(end.signal, NEVER)

    end.abort()

    expect(await waiting).toBeUndefined()
  })

  it('has nothing to show when it was done after the signal', async () => {
    expect(await untilStopped(AbortSignal.abort(), Promise.resolve('ready'))).toBeUndefined()
  })

  it('fails in silence after the signal, and aloud before', async () => {
    const refused = () => Promise.reject(new Error('ECONNREFUSED'))

    expect(await untilStopped(AbortSignal.abort(), refused())).toBeUndefined()
    await expect(untilStopped(new AbortController().signal, refused())).rejects.toThrow('ECONN')
  })
})
