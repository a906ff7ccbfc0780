import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

export type Watched<T> = {
  /** As the file was when it was good last. */
  current(): T
  close(): void
}

export type WatchPorts<T> = {
  /** After each change that was taken over. */
  onChange?(value: T): void
  /** The file is gone or bad: what was good last stays in force. */
  onTrouble?(message: string): void
  pollMs?: number
}

export type Reading<T> =
  | Readonly<{ kind: 'good'; value: T }>
  | Readonly<{ kind: 'bad'; message: string }>

const POLL_MS = 1_000

/** Follows a file. A bad one at the start throws; later it is reported. */
export function watchFile<T>(
  path: string,
  parse: (text: string) => Reading<T>,
  ports: WatchPorts<T> = {},
): Watched<T> {
  let text = readFileSync(path, 'utf8')
  const first = parse(text)
  if (first.kind === 'bad') throw new Error(first.message)
  let { value } = first
  let trouble: string | undefined

  function take(next: string): void {
    if (next === text) return
    text = next
    const parsed = parse(text)
    if (parsed.kind === 'bad') {
      complain(parsed.message)
      return
    }
    trouble = undefined
    value = parsed.value
    ports.onChange?.(value)
  }

  /** Once, not at every look. */
  function complain(message: string): void {
    if (message !== trouble) ports.onTrouble?.(message)
    trouble = message
  }

  const look = () => {
    readFile(path, 'utf8').then(take, () =>
      complain(`The file ${path} cannot be read; what it said last stays in force.`),
    )
  }
  // Looking at the text itself survives renames over it, ConfigMap symlinks and changes within one
  // tick of the file system's clock; inotify and modification times do not.
  const timer = setInterval(look, ports.pollMs ?? POLL_MS).unref()
  return { current: () => value, close: () => clearInterval(timer) }
}
