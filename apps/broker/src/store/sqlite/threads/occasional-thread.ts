import type { createCaller, Verbs } from './thread-call.ts'

type Caller<V extends Verbs> = ReturnType<typeof createCaller<V>>

/** Long enough that steady work does not start a thread again and again. */
const REST_MS = 2_000

/**
 * A thread that is there only while there is something for it to do: one at rest would hold on to
 * ten megabytes. It starts with a call, and ends when none has come for a while.
 */
export function createOccasionalThread<V extends Verbs>(start: () => Caller<V>, restMs = REST_MS) {
  let thread: Promise<Caller<V>> | undefined
  let ending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let underWay = 0
  let isClosed = false
  return { call, close }

  async function call<K extends keyof V & string>(
    verb: K,
    ...input: Parameters<V[K]>
  ): Promise<ReturnType<V[K]>> {
    if (isClosed) throw new Error('The store is closed')
    clearTimeout(timer)
    underWay++
    try {
      thread ??= open()
      return await (await thread).call(verb, ...input)
    } finally {
      underWay--
      if (underWay === 0 && !isClosed) timer = setTimeout(rest, restMs).unref()
    }
  }

  async function open(): Promise<Caller<V>> {
    const caller = start()
    try {
      await caller.opened
      return caller
    } catch (error) {
      // It has ended by itself: the next call tries another.
      thread = undefined
      throw error
    }
  }

  function rest(): void {
    ending = end()
  }

  async function end(): Promise<void> {
    const ended = thread
    thread = undefined
    await (await ended)?.close()
  }

  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(timer)
    await ending
    await end()
  }
}
