/** Reads that wait until memory equals the journal. */
export function createWaitingReads() {
  let waiting: (() => void)[] = []
  return { wait, catchUp, areWaiting: () => waiting.length > 0 }

  function wait<T>(read: () => T): Promise<T> {
    return new Promise((resolve) => {
      waiting.push(() => resolve(settled(read)))
    })
  }

  function catchUp(): void {
    const reads = waiting
    waiting = []
    for (const read of reads) read()
  }
}

/** A read that throws rejects its own promise only. */
export function settled<T>(read: () => T): Promise<T> {
  return new Promise((resolve) => resolve(read()))
}
