import type { IncomingMessage, ServerResponse } from 'node:http'
import { LEADER_HEADER, PROBLEM_MEDIA_TYPE } from '@bourse/contract'
import type { Connections } from '@bourse/daemon/connections'
import type { Logger } from 'pino'
import { problemOf } from '../http/answers/error-reply.ts'
import { BrokerError } from '../http/errors/broker-error.ts'
import type { EarlierDoor } from '../http/index.ts'
import { readTlsFiles } from '../http/tls/tls-files.ts'
import { createTlsServer, listenAt } from '../http/tls/tls-server.ts'
import { watchTlsFiles } from '../http/tls/watch-tls-files.ts'

type Ports = Readonly<{
  http: Readonly<{ host?: string; port: number; certPath: string; maxConnections: number }>
  /** Where the leader is reached, if anybody leads; absent: nobody else could, we are starting. */
  leader?(): string | undefined
  connections: Connections
  log: Logger
}>

/** Stays open until the API answers in its place: a caller is sent on, never refused. */
export type StandbyDoor = EarlierDoor & Readonly<{ close(): Promise<void> }>

const RETRY_AFTER_SECONDS = 1

/**
 * The API's address while another broker leads, or while this one reads its ledger. It answers no
 * question, not even from books that are up to date: only the leader knows that they are.
 */
export async function openStandbyDoor(ports: Ports): Promise<StandbyDoor> {
  const { http, leader, connections, log } = ports
  const { certPath, maxConnections } = http
  const files = await readTlsFiles(certPath, Date.now())
  const server = createTlsServer(files, { maxConnections, connections })
  server.on('request', answer)
  await listenAt(server, http)
  const watcher = watchTlsFiles(files, {
    ...{ directory: certPath, now: Date.now, log },
    onChange: ({ context }) => server.setSecureContext(context),
  })
  let isAside = false

  return { server, stepAside, close }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (!leader) sendStarting(response)
    else if (request.url?.endsWith('/healthz')) sendHealthy(response)
    else sendElsewhere(response, leader())
  }

  function stepAside(): void {
    isAside = true
    watcher.close()
    server.off('request', answer)
  }

  async function close(): Promise<void> {
    if (isAside) return
    stepAside()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }
}

function sendHealthy(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
}

function sendElsewhere(response: ServerResponse, leader: string | undefined): void {
  const detail = leader
    ? `This broker stands by: ${leader} leads.`
    : 'This broker stands by, and nobody leads at the moment: ask again.'
  sendUnavailable(response, detail, leader ? { [LEADER_HEADER]: leader } : {})
}

function sendStarting(response: ServerResponse): void {
  sendUnavailable(response, 'This broker is starting, and reads its ledger: ask again in a moment.')
}

function sendUnavailable(response: ServerResponse, detail: string, more: object = {}): void {
  response
    .writeHead(503, {
      'content-type': PROBLEM_MEDIA_TYPE,
      'retry-after': String(RETRY_AFTER_SECONDS),
      ...more,
      // The next attempt may then reach another broker behind the same name.
      connection: 'close',
    })
    .end(JSON.stringify(problemOf(new BrokerError('Unavailable', detail))))
}
