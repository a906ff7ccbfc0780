import { KubeError } from '../errors.ts'
import type { Kind, KubeObject, WatchEvent } from '../objects.ts'
import { listPath, withQuery } from './addresses.ts'
import type { Exchange } from './exchange.ts'
import { faultOfStatus, type StatusBody } from './faults.ts'
import type { WatchOptions } from './kube-client.ts'

/** Far above what etcd stores: an object is at most a few MiB. */
const LINE_CHARS_MAX = 16 * 1024 * 1024

type Line<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: T }
  | { type: 'ERROR'; object: StatusBody }

const NEVER = new AbortController().signal

/** One connection's worth of a watch. */
export async function* readWatch<T extends KubeObject>(
  exchange: Exchange,
  kind: Kind,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const { namespace, signal = NEVER, ...selection } = options
  const path = listPath(kind, namespace)
  // The server wants to hear how new the objects must be: as new as there are.
  const initial = options.sendInitialEvents ? { resourceVersionMatch: 'NotOlderThan' } : {}
  const query = { watch: true, allowWatchBookmarks: true, ...selection, ...initial }
  try {
    const body = await exchange.stream(withQuery(path, query), signal)
    for await (const line of linesOf(body.setEncoding('utf8'))) {
      yield eventOf(JSON.parse(line) as Line<T>)
    }
  } catch (thrown) {
    signal.throwIfAborted()
    throw exchange.name(thrown, `watch of ${path}`)
  }
}

function eventOf<T extends KubeObject>({ type, object }: Line<T>): WatchEvent<T> {
  if (type === 'ERROR') throw faultOfStatus(object)
  if (type !== 'BOOKMARK') return { type, object }
  const { resourceVersion = '', annotations } = object.metadata
  const endsInitialEvents = annotations?.['k8s.io/initial-events-end'] === 'true'
  return { type, resourceVersion, ...(endsInitialEvents && { endsInitialEvents }) }
}

/** Lines of a stream of text, however it was cut. A last line without its end was cut off. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let pieces: string[] = []
  let waiting = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      const line = pieces.join('') + chunk.slice(from, end)
      pieces = []
      waiting = 0
      from = end + 1
      if (line !== '') yield line
    }
    if (from === chunk.length) continue
    pieces.push(from === 0 ? chunk : chunk.slice(from))
    waiting += chunk.length - from
    if (waiting > LINE_CHARS_MAX)
      throw new KubeError('The watch has no end of line.', { reason: 'BadAnswer' })
  }
}
