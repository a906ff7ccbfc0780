import type { Kind, KubeObject, WatchEvent } from '../objects/objects.ts'
import type { Clock } from '../time/clock.ts'
import { listPath, withQuery } from './addresses.ts'
import { KubeError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { faultOfStatus, type StatusBody } from './faults.ts'
import type { WatchOptions } from './kube-client.ts'

/** Far above the few MiB that etcd stores per object. */
const LINE_CHARS_MAX = 16 * 1024 * 1024

type Line<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: T }
  | { type: 'ERROR'; object: StatusBody }

const NEVER = new AbortController().signal

type Ports = Readonly<{ exchange: Exchange; clock: Pick<Clock, 'sleep'> }>

/** The events of one connection of a watch. */
export async function* readWatch<T extends KubeObject>(
  { exchange, clock }: Ports,
  kind: Kind,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const { namespace, signal = NEVER, gatherMs = 0, onOpen, ...selection } = options
  const path = listPath(kind, namespace)
  // Required with sendInitialEvents.
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
 * managedFields is up to half of an object and most of its parsing time, and we never read it.
 * The pattern matches only a whole field: inside a JSON string the quotes would be escaped. A
 * field with a nested list does not match, and is parsed like the rest.
 */
const MANAGED_FIELDS = /,"managedFields":\[(?:[^"[\]]|"(?:[^"\\]|\\.)*")*\]/

function readLine<T>(line: string): Line<T> {
  return JSON.parse(line.replace(MANAGED_FIELDS, '')) as Line<T>
}

function eventOf<T extends KubeObject>({ type, object }: Line<T>): WatchEvent<T> {
  if (type === 'ERROR') throw faultOfStatus(object)
  if (type !== 'BOOKMARK') return { type, object }
  const { resourceVersion = '', annotations } = object.metadata
  const endsInitialEvents = annotations?.['k8s.io/initial-events-end'] === 'true'
  return { type, resourceVersion, ...(endsInitialEvents && { endsInitialEvents }) }
}

/** Splits chunks into lines. An unfinished last line is dropped. */
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
        throw new KubeError('The watch sent a line that does not end.', { reason: 'BadAnswer' })
    },
  }
}
