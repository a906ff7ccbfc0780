import type { DatabaseSync } from 'node:sqlite'

/** How long the log is, and how much of it is not in the database yet. */
export type LogLength = Readonly<{ frames: number; left: number }>

/** NOOP only reads; PASSIVE moves what it can without waiting. */
export function checkpointLog(db: DatabaseSync, mode: 'NOOP' | 'PASSIVE'): LogLength {
  const row = db.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
  const frames = Number(row?.log)
  return { frames, left: frames - Number(row?.checkpointed) }
}
