/** Questions about memory that wait until it is what the journal has. */
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

/** A question that throws fails whoever asked it, and nobody else. */
export function settled<T>(read: () => T): Promise<T> {
  return new Promise((resolve) => resolve(read()))
}
