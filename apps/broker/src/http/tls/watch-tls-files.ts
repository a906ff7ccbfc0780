import { watch } from 'node:fs'
import type { Logger } from 'pino'
import { readTlsFiles, type TlsFiles } from './tls-files.ts'

type Ports = Readonly<{
  directory: string
  now(): number
  log: Logger
  onChange(files: TlsFiles): void
  /** Not every file system reports changes, and a Secret's symlinks hide some: we also look. */
  pollMs?: number
}>

const POLL_MS = 5_000
/** Files are written one after the other: the first change is not the moment to read them. */
const SETTLE_MS = 100

/** Follows a certificate directory. Files that do not fit together keep the old ones in force. */
export function watchTlsFiles(first: TlsFiles, ports: Ports): { close(): void } {
  const { directory, now, log, onChange } = ports
  let digest = first.digest
  let complaint = ''
  let settling: NodeJS.Timeout | undefined
  let isReading = false

  function look(): void {
    if (isReading) return
    isReading = true
    readTlsFiles(directory, now())
      .then(take, refuse)
      .finally(() => {
        isReading = false
      })
  }

  function take(files: TlsFiles): void {
    complaint = ''
    if (files.digest === digest) return
    digest = files.digest
    onChange(files)
  }

  /** Once for each complaint: a half-written directory is looked at many times. */
  function refuse(error: Error): void {
    if (error.message === complaint) return
    complaint = error.message
    log.error(
      { directory, reason: error.message },
      'the new certificates are unusable, the old ones stay in use',
    )
  }

  const watcher = watch(directory, { persistent: false }, () => {
    clearTimeout(settling)
    settling = setTimeout(look, SETTLE_MS)
  })
  // A directory that is swapped away ends its watcher; the polling goes on.
  watcher.on('error', () => watcher.close())
  const poll = setInterval(look, ports.pollMs ?? POLL_MS)
  poll.unref()

  return {
    close() {
      clearInterval(poll)
      clearTimeout(settling)
      watcher.close()
    },
  }
}
