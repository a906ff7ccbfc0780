import { readFile, stat } from 'node:fs/promises'
import { ConnectionRefused } from './connection.ts'

/** Tokens and certificates are rotated hours before they expire; a check is one stat. */
const LOOK_EVERY_MS = 1_000

/** The text of a file, read again when it changed. */
export function createLiveFile(path: string, now: () => number): () => Promise<string> {
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
    return look().catch((cause) => {
      // A rotation may remove the file for a moment; the last text is still valid for a while.
      if (last !== undefined) return last
      throw new ConnectionRefused(`${path} is needed for the connection and cannot be read.`, {
        cause,
      })
    })
  }
}
