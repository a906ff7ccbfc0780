import { readFile, stat } from 'node:fs/promises'
import { ConnectionRefused } from './connection-refused.ts'

/** The text of a file, read again when it changed. */
export type LiveFile = () => Promise<string>

/** Tokens and certificates are rotated hours before their end; looking is one stat. */
const LOOK_EVERY_MS = 1_000

export function createLiveFile(path: string, now: () => number): LiveFile {
  let loaded: { text: string; version: string } | undefined
  let lookAgainAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<string> {
    const { mtimeMs, size, ino } = await stat(path)
    const version = `${mtimeMs}:${size}:${ino}`
    if (loaded?.version === version) return loaded.text
    const text = await readFile(path, 'utf8')
    loaded = { text, version }
    return text
  }

  return () => {
    const last = loaded?.text
    if (last !== undefined && now() < lookAgainAt) return Promise.resolve(last)
    lookAgainAt = now() + LOOK_EVERY_MS
    return look().then(undefined, (cause) => {
      // A rotation may take the file away for a moment; what we have is still good for a while.
      if (last !== undefined) return last
      throw new ConnectionRefused(`${path} cannot be read, and the connection needs it.`, { cause })
    })
  }
}
