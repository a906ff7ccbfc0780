import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isClusterId, type ListSource, splitList } from './flag-kinds.ts'

export type WatchedList = {
  /** The ids as they are now. */
  current(): ReadonlySet<string>
  close(): void
}

export type ListPorts = {
  /** After each change that was taken over. */
  onChange?(ids: ReadonlySet<string>): void
  /** The file is gone or has bad ids: the last good list stays in force. */
  onTrouble?(message: string): void
  pollMs?: number
}

const POLL_MS = 1_000

/** Cluster ids that follow their file. A bad file at the start throws; later it is reported. */
export function watchList(source: ListSource, ports: ListPorts = {}): WatchedList {
  if (source.kind === 'list') {
    const fixed = new Set(source.items)
    return { current: () => fixed, close() {} }
  }
  const { path } = source
  const first = parseList(path, readFileSync(path, 'utf8'))
  if (first.kind === 'bad') throw new Error(first.message)
  let ids = first.ids

  function take(text: string): void {
    const parsed = parseList(path, text)
    if (parsed.kind === 'bad') {
      ports.onTrouble?.(parsed.message)
      return
    }
    ids = parsed.ids
    ports.onChange?.(ids)
  }
  const look = () => {
    readFile(path, 'utf8').then(take, () =>
      ports.onTrouble?.(`The list ${path} cannot be read; the last good one stays in force.`),
    )
  }
  // Polling the file's status survives renames over it and ConfigMap symlinks; inotify does not.
  watchFile(path, { interval: ports.pollMs ?? POLL_MS, persistent: false }, look)
  return { current: () => ids, close: () => unwatchFile(path, look) }
}

type ParsedList =
  | Readonly<{ kind: 'ids'; ids: ReadonlySet<string> }>
  | Readonly<{ kind: 'bad'; message: string }>

/** One id on each line or several with commas; `#` begins a comment. */
function parseList(path: string, text: string): ParsedList {
  const ids = splitList(text.replaceAll(/#.*$/gm, ''))
  const stranger = ids.find((id) => !isClusterId(id))
  if (stranger === undefined) return { kind: 'ids', ids: new Set(ids) }
  return {
    kind: 'bad',
    message: `${path} has ${JSON.stringify(stranger)}, which is no cluster id.`,
  }
}
