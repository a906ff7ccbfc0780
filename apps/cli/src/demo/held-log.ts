import { createWriteStream } from 'node:fs'
import { PassThrough } from 'node:stream'

/** A start says a few lines; this is far beyond. */
const HELD_BYTES_MAX = 1024 * 1024

/** A log that is kept in memory until it is known that the file is ours to write. */
export function createHeldLog(path: string) {
  const sink = new PassThrough({ highWaterMark: HELD_BYTES_MAX })
  let isOpen = false

  return {
    sink,
    open(): void {
      if (isOpen) return
      isOpen = true
      sink.pipe(createWriteStream(path, { flags: 'a' }))
    },
  }
}
