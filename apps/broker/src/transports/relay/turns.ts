/** Calls of one caller that begin in one turn of the event loop. */
const PER_TURN = 4

/**
 * A connection brings hundreds of calls in one piece, and to begin all of them would keep the
 * others waiting. So each caller begins a few; the rest in later turns, with the others in between.
 */
export function createTurns() {
  const queues = new Map<string, (() => void)[]>()

  return { run }

  function run(caller: string, job: () => void): void {
    if (queues.size === 0) setImmediate(next)
    const queue = queues.get(caller)
    if (queue) queue.push(job)
    else queues.set(caller, [job])
  }

  function next(): void {
    for (const [caller, queue] of queues) {
      for (const job of queue.splice(0, PER_TURN)) job()
      if (queue.length === 0) queues.delete(caller)
    }
    if (queues.size > 0) setImmediate(next)
  }
}
