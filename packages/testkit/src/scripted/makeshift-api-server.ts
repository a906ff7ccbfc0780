import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { startTlsServer } from './tls-server.ts'

/** An array, or an object that makes its items on demand. */
export type Items = Readonly<{ length: number; at(index: number): object | undefined }>

type Change = 'ADDED' | 'MODIFIED' | 'DELETED'

export type MakeshiftApiServer = {
  /** For a client of it. */
  credentials: Readonly<{ server: string; ca: string; cert: string; key: string }>
  /** Addresses that were asked for, in order. */
  heard: readonly string[]
  /** How many watches of this plural are open. */
  watchers(plural: string): number
  /** Sends it to all watches, also to later ones that start from an older version. */
  tell<T extends { metadata: object }>(plural: string, type: Change, object: T): void
  /** Ends every connection at once. */
  cut(): void
  close(): void
}

type Line = Readonly<{ version: number; plural: string; text: string }>

/**
 * Serves lists (in pages or as a stream) and watches over TLS, with the objects that a test gives:
 * more objects, or faster changes, than a real API server could serve on two cores. It knows
 * nothing of selectors and namespaces. It accepts every write and stores none.
 */
export async function startMakeshiftApiServer(
  certPath: string,
  lists: Readonly<Record<string, Items>>,
): Promise<MakeshiftApiServer> {
  const heard: string[] = []
  const told: Line[] = []
  const open = new Map<ServerResponse, string>()
  const server = await startTlsServer(certPath, (request, response) => {
    heard.push(request.url ?? '')
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://host')
    const { plural, name } = addressOf(pathname)
    response.setHeader('content-type', 'application/json')
    if (request.method !== 'GET') void echo(request, response)
    else if (name !== undefined) response.writeHead(404).end(NOT_FOUND)
    else if (!searchParams.has('watch')) list(response, plural, searchParams)
    else if (searchParams.has('sendInitialEvents')) streamAll(response, plural)
    else watch(response, plural, Number(searchParams.get('resourceVersion')))
  })

  function list(response: ServerResponse, plural: string, query: URLSearchParams): void {
    const all = lists[plural] ?? []
    const from = Number(query.get('continue') ?? 0)
    const until = Math.min(all.length, from + Number(query.get('limit') ?? all.length))
    const items = Array.from({ length: until - from }, (_, at) => all.at(from + at))
    const rest = until < all.length ? { continue: `${until}` } : {}
    response.end(
      JSON.stringify({ metadata: { resourceVersion: `${FIRST_VERSION}`, ...rest }, items }),
    )
  }

  function streamAll(response: ServerResponse, plural: string): void {
    const lines = Readable.from(linesOf(lists[plural] ?? []))
    lines.pipe(response, { end: false })
    lines.once('end', () => watch(response, plural, FIRST_VERSION))
    response.once('close', () => lines.destroy())
  }

  function watch(response: ServerResponse, plural: string, after: number): void {
    response.flushHeaders()
    for (const line of told)
      if (line.plural === plural && line.version > after) response.write(line.text)
    open.set(response, plural)
    response.once('close', () => open.delete(response))
  }

  return {
    credentials: { server: server.url, ...server.tls },
    heard,
    watchers: (plural) => [...open.values()].filter((one) => one === plural).length,
    tell(plural, type, object) {
      const version = FIRST_VERSION + told.length + 1
      const metadata = { ...object.metadata, resourceVersion: `${version}` }
      const text = `${JSON.stringify({ type, object: { ...object, metadata } })}\n`
      told.push({ version, plural, text })
      for (const [response, watched] of open) if (watched === plural) response.write(text)
    },
    cut: server.cut,
    close: server.close,
  }
}

const FIRST_VERSION = 1_000
const NOT_FOUND = JSON.stringify({
  kind: 'Status',
  status: 'Failure',
  code: 404,
  reason: 'NotFound',
})

/** `/api/v1/…` or `/apis/GROUP/VERSION/…`, then a namespace perhaps, a plural and a name. */
function addressOf(path: string): { plural: string; name: string | undefined } {
  const steps = path.split('/').slice(path.startsWith('/apis/') ? 4 : 3)
  const [plural = '', name] = steps[0] === 'namespaces' && steps.length > 2 ? steps.slice(2) : steps
  return { plural, name }
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const written = JSON.parse((await text(request)) || '{}')
  const metadata = { uid: 'uid', ...written.metadata, resourceVersion: `${FIRST_VERSION}` }
  response.end(JSON.stringify({ ...written, metadata }))
}

function* linesOf(all: Items): Generator<string> {
  for (let at = 0; at < all.length; at++)
    yield `${JSON.stringify({ type: 'ADDED', object: all.at(at) })}\n`
  const annotations = { 'k8s.io/initial-events-end': 'true' }
  const metadata = { resourceVersion: `${FIRST_VERSION}`, annotations }
  yield `${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`
}
