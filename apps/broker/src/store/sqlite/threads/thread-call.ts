import type { MessagePort, Worker } from 'node:worker_threads'
import { DamagedJournal } from '../../port/journal.ts'
import { StoreFault, StoreUnusable, type Trouble } from '../../port/store-errors.ts'
import { troubleOf } from '../disk/sqlite-error.ts'

/** Calls across threads: a number, a verb, its arguments; then the number and what became of it. */
type Call = Readonly<{ number: number; verb: string; input: readonly unknown[] }>
type Reply = Readonly<{ number: number; result?: unknown; fault?: Fault }>
type Fault = Readonly<{ name: string; message: string; advice?: string; trouble: Trouble }>

export type Verbs = Readonly<Record<string, (...input: never[]) => unknown>>

type Serving = Readonly<{ open(): Verbs; deferrable: ReadonlySet<string> }>

/** Answers calls until `close`; the first reply (number 0) says whether opening went well. */
export function serve(port: MessagePort, { open, deferrable }: Serving): void {
  const waiting: Call[] = []
  let verbs: Verbs | undefined
  answer(0, () => {
    verbs = open()
  })
  port.on('message', (call: Call) => {
    if (!deferrable.has(call.verb)) return perform(call)
    waiting.push(call)
    if (waiting.length === 1) setImmediate(performNext)
  })

  /** One at a time: between two, the event loop brings what is more urgent. */
  function performNext(): void {
    const call = waiting.shift()
    if (call) perform(call)
    if (waiting.length > 0) setImmediate(performNext)
  }

  function perform({ number, verb, input }: Call): void {
    // The caller's types name only verbs that exist, with their arguments.
    answer(number, () => verbs?.[verb]?.(...(input as never[])))
    if (verb === 'close') port.close()
  }

  function answer(number: number, work: () => unknown): void {
    port.postMessage(outcomeOf(number, work))
  }
}

/** Nothing is handled here: the error travels to the caller's thread and is thrown there. */
function outcomeOf(number: number, work: () => unknown): Reply {
  try {
    return { number, result: work() }
  } catch (error) {
    const { name, message, advice } = error as Error & { advice?: string }
    const fault = { name, message, trouble: troubleOf(error) }
    return { number, fault: advice === undefined ? fault : { ...fault, advice } }
  }
}

type Pending = Readonly<{
  verb: string
  resolve(result: unknown): void
  reject(error: Error): void
}>

/**
 * The caller's side. `crash`: the thread died, or no longer knows what is on disk. There is no
 * limit here, as it would refuse commits as well; `boundHistory` limits callers.
 */
export function createCaller<V extends Verbs>(worker: Worker, crash: (cause: Error) => void) {
  const pending = new Map<number, Pending>()
  let last = 0
  let isClosing = false
  const opened = expect(0, 'open')
  worker.on('message', settle)
  worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => {
    if (!isClosing) fail(new Error('The thread of the store has ended'))
  })
  return { opened, call, close }

  function call<K extends keyof V & string>(
    verb: K,
    ...input: Parameters<V[K]>
  ): Promise<ReturnType<V[K]>> {
    if (isClosing) return Promise.reject(new Error('The store is closed'))
    const number = ++last
    const answer = expect(number, verb)
    worker.postMessage({ number, verb, input } satisfies Call)
    // What comes back under this number is what that verb returned.
    return answer as Promise<ReturnType<V[K]>>
  }

  async function close(): Promise<void> {
    if (isClosing) return
    const done = call('close', ...([] as unknown as Parameters<V['close']>))
    isClosing = true
    await done
    await worker.terminate()
  }

  function expect(number: number, verb: string): Promise<unknown> {
    return new Promise((resolve, reject) => pending.set(number, { verb, resolve, reject }))
  }

  function settle({ number, result, fault }: Reply): void {
    const waiter = pending.get(number)
    pending.delete(number)
    if (!fault) {
      waiter?.resolve(result)
      return
    }
    const error = errorOf(fault)
    if (number === 0) abandon()
    // A commit of unknown fate, or a failed flush: memory is no longer the truth.
    else if (fault.trouble === 'untrusted' || waiter?.verb === 'append') crash(error)
    waiter?.reject(error)
  }

  /** A thread that could not open has nothing to serve, and would keep the process alive. */
  function abandon(): void {
    isClosing = true
    void worker.terminate()
  }

  function fail(error: Error): void {
    if (!isClosing) crash(error)
    isClosing = true
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }
}

function errorOf(fault: Fault): Error {
  if (fault.name === 'StoreUnusable') return new StoreUnusable(fault.message, fault.advice ?? '')
  if (fault.trouble === 'damaged') return new DamagedJournal(fault.message)
  return new StoreFault(fault)
}
