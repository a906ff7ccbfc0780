import { isClusterId, type ListSource, splitList } from '@bourse/daemon/settings'
import { type Reading, type Watched, type WatchPorts, watchFile } from './watch-file.ts'

type Ids = ReadonlySet<string>

/** Cluster ids that follow their file. A bad file at the start throws; later it is reported. */
export function watchList(source: ListSource, ports: WatchPorts<Ids> = {}): Watched<Ids> {
  if (source.kind === 'file')
    return watchFile(source.path, (text) => parseList(source.path, text), ports)
  const fixed = new Set(source.items)
  return { current: () => fixed, close() {} }
}

/** One id on each line or several with commas; `#` begins a comment. */
function parseList(path: string, text: string): Reading<Ids> {
  const ids = splitList(text.replaceAll(/#.*$/gm, ''))
  const stranger = ids.find((id) => !isClusterId(id))
  if (stranger === undefined) return { kind: 'good', value: new Set(ids) }
  return {
    kind: 'bad',
    message: `${path} has ${JSON.stringify(stranger)}, which is not a valid cluster id.`,
  }
}
