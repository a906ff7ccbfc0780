import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isClusterId, type ListSource, splitList } from '@bourse/daemon/settings'

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
  let text = readFileSync(path, 'utf8')
  const first = parseList(path, text)
  if (first.kind === 'bad') throw new Error(first.message)
  let ids = first.ids
  let trouble: string | undefined

  function take(next: string): void {
    if (next === text) return
    text = next
    const parsed = parseList(path, text)
    if (parsed.kind === 'bad') {
      complain(parsed.message)
      return
    }
    trouble = undefined
    ids = parsed.ids
    ports.onChange?.(ids)
  }

  /** Once, not at every look. */
  function complain(message: string): void {
    if (message !== trouble) ports.onTrouble?.(message)
    trouble = message
  }

  const look = () => {
    readFile(path, 'utf8').then(take, () =>
      complain(`The list ${path} cannot be read; the last good one stays in force.`),
    )
  }
  // Looking at the text itself survives renames over it, ConfigMap symlinks and changes within one
  // tick of the file system's clock; inotify and modification times do not.
  const timer = setInterval(look, ports.pollMs ?? POLL_MS).unref()
  return { current: () => ids, close: () => clearInterval(timer) }
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
    message: `${path} has ${JSON.stringify(stranger)}, which is not a valid cluster id.`,
  }
}
