import type { ServerResponse } from 'node:http'
import type { Scene } from './scripted-broker.ts'

/** Pieces of an API server's part for `playBroker`, which plays any https server. */

type Item = Readonly<{ name: string; version: string; uid?: string; value?: string }>

export function anObject({ name, version, uid = `uid-of-${name}`, value = name }: Item) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', resourceVersion: version, uid },
    data: { value },
  }
}

export function aList(version: string, items: readonly Item[], next?: string): Scene {
  const metadata = { resourceVersion: version, ...(next ? { continue: next } : {}) }
  return { status: 200, body: { kind: 'List', metadata, items: items.map(anObject) } }
}

/** A Status, as an answer. */
export function aRefusal(
  code: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): Scene {
  return { status: code, body: aStatus(code, reason), headers }
}

export function aStatus(code: number, reason: string) {
  return { kind: 'Status', status: 'Failure', code, reason, message: `${reason}, says the script` }
}

export type WatchLine =
  | Readonly<{ type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Item }>
  | Readonly<{ type: 'BOOKMARK'; version: string; endsInitialEvents?: true }>
  | Readonly<{ type: 'ERROR'; code: number; reason: string }>

/** A watch that sends these lines; then it ends, is cut off or stays silent. */
export function aWatch(lines: readonly WatchLine[], then: 'close' | 'cut' | 'stay'): Scene {
  return (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    for (const line of lines) response.write(`${JSON.stringify(wireOf(line))}\n`)
    if (then === 'close') response.end()
    // Once the lines are sent: a destroyed socket loses what it still holds.
    if (then === 'cut') response.write('{"type":"ADD', () => request.socket.destroy())
  }
}

/** A watch whose lines a test sends one by one. */
export function aLiveWatch() {
  const begun = Promise.withResolvers<ServerResponse>()
  const scene: Scene = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    begun.resolve(response)
  }
  return {
    scene,
    async tell(...lines: readonly WatchLine[]): Promise<void> {
      const response = await begun.promise
      for (const line of lines) response.write(`${JSON.stringify(wireOf(line))}\n`)
    },
    async close(): Promise<void> {
      ;(await begun.promise).end()
    },
  }
}

function wireOf(line: WatchLine): object {
  if (line.type === 'ERROR') return { type: 'ERROR', object: aStatus(line.code, line.reason) }
  if (line.type !== 'BOOKMARK') return { type: line.type, object: anObject(line.object) }
  const annotations = line.endsInitialEvents && { 'k8s.io/initial-events-end': 'true' }
  const metadata = { resourceVersion: line.version, annotations }
  return { type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata } }
}
