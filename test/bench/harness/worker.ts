import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A process of ours that gets its order, sends `first` once it is ready, and answers questions. */
export async function startWorker(file: URL, order: object) {
  const child = fork(file)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file.pathname} ended with code ${code}.`)
  })
  // A caller that waits for a message is told; when it is stopped, none may wait.
  ended.catch(() => {})
  child.send(order)
  const first = await message()
  if (child.pid === undefined) throw new Error(`${file.pathname} has no process id.`)
  return { pid: child.pid, first, ask, stop: () => void child.kill() }

  /** `T` is what the process sends to this question. */
  async function ask<T>(question: object): Promise<T> {
    child.send(question)
    return (await message()) as T
  }

  async function message(): Promise<unknown> {
    const [sent] = await Promise.race([once(child, 'message'), ended])
    return sent
  }
}
