import type { Kind, KubeObject, WatchEvent } from '../objects/objects.ts'
import type { Clock } from '../time/clock.ts'
import { listPath, withQuery } from './addresses.ts'
import { KubeError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { faultOfStatus, type StatusBody } from './faults.ts'
import type { WatchOptions } from './kube-client.ts'

/** Far above what etcd stores: an object is at most a few MiB. */
const LINE_CHARS_MAX = 16 * 1024 * 1024

type Line<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: T }
  | { type: 'ERROR'; object: StatusBody }

const NEVER = new AbortController().signal

type Ports = Readonly<{ exchange: Exchange; clock: Pick<Clock, 'sleep'> }>

/** One connection's worth of a watch. */
export async function* readWatch<T extends KubeObject>(
  { exchange, clock }: Ports,
  kind: Kind,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const { namespace, signal = NEVER, gatherMs = 0, onOpen, ...selection } = options
  const path = listPath(kind, namespace)
  // The server wants to hear how new the objects must be: as new as there are.
  const initial = options.sendInitialEvents ? { resourceVersionMatch: 'NotOlderThan' } : {}
  const query = { watch: true, allowWatchBookmarks: true, ...selection, ...initial }
  try {
    const body = await exchange.stream(withQuery(path, query), signal)
    onOpen?.()
    const lines = createLineReader()
    let isLive = !options.sendInitialEvents
    for await (const chunk of body.setEncoding('utf8')) {
      for (const line of lines.in(chunk)) {
        const event = eventOf(readLine<T>(line))
        if (event.type === 'BOOKMARK' && event.endsInitialEvents) isLive = true
        yield event
      }
      if (isLive && gatherMs > 0) await clock.sleep(gatherMs, signal)
    }
  } catch (thrown) {
    signal.throwIfAborted()
    throw exchange.name(thrown, `watch of ${path}`)
  }
}

/**
 * Who wrote which field: up to half of an object, most of the time that it takes to parse, and
 * read by nobody here. In JSON no name follows a comma and a quote inside of a string, so that what
 * matches is the whole field. It has no list in it; one that has is parsed like all the rest.
 */
const MANAGED_FIELDS = /,"managedFields":\[(?:[^"[\]]|"(?:[^"\\]|\\.)*")*\]/

function readLine<T>(line: string): Line<T> {
  // The server writes what the watched kind has.
  return JSON.parse(line.replace(MANAGED_FIELDS, '')) as Line<T>
}

function eventOf<T extends KubeObject>({ type, object }: Line<T>): WatchEvent<T> {
  if (type === 'ERROR') throw faultOfStatus(object)
  if (type !== 'BOOKMARK') return { type, object }
  const { resourceVersion = '', annotations } = object.metadata
  const endsInitialEvents = annotations?.['k8s.io/initial-events-end'] === 'true'
  return { type, resourceVersion, ...(endsInitialEvents && { endsInitialEvents }) }
}

/** Lines of a text, however it was cut. A last line without its end was cut off. */
function createLineReader() {
  let pieces: string[] = []
  let waiting = 0

  return {
    *in(chunk: string): Generator<string> {
      let from = 0
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
        const line = pieces.join('') + chunk.slice(from, end)
        pieces = []
        waiting = 0
        from = end + 1
        if (line !== '') yield line
      }
      if (from === chunk.length) return
      pieces.push(from === 0 ? chunk : chunk.slice(from))
      waiting += chunk.length - from
      if (waiting > LINE_CHARS_MAX)
        throw new KubeError('The watch has no end of line.', { reason: 'BadAnswer' })
    },
  }
}
