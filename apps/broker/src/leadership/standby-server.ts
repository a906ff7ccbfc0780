import type { IncomingMessage, ServerResponse } from 'node:http'
import { LEADER_HEADER, PROBLEM_MEDIA_TYPE } from '@bourse/contract'
import type { Connections } from '@bourse/daemon/connections'
import type { Logger } from 'pino'
import type { HttpConfig } from '../config/index.ts'
import { problemOf } from '../http/answers/error-reply.ts'
import { BrokerError } from '../http/errors/broker-error.ts'
import type { EarlierServer } from '../http/index.ts'
import { readTlsFiles } from '../http/tls/tls-files.ts'
import { createTlsServer, listenAt } from '../http/tls/tls-server.ts'
import { watchTlsFiles } from '../http/tls/watch-tls-files.ts'

type Ports = Readonly<{
  http: HttpConfig
  /** The leader's address; absent: there is no election, and this broker is starting. */
  leader?(): string | undefined
  connections: Connections
  log: Logger
}>

/** Listens until the API server takes over its socket, so that no connection is refused. */
export type StandbyServer = EarlierServer & Readonly<{ close(): Promise<void> }>

const RETRY_AFTER_SECONDS = 1
const STARTING = 'This broker is starting and reads its ledger: try again in a moment.'

/**
 * Answers at the API's address while another broker leads, or while this one reads its ledger. It
 * never answers from its replica: only the leader knows whether that is up to date.
 */
export async function openStandbyServer(ports: Ports): Promise<StandbyServer> {
  const { http, leader, connections, log } = ports
  const { certPath, maxConnections } = http
  const files = await readTlsFiles(certPath, Date.now())
  const server = createTlsServer(files, { maxConnections, connections })
  server.on('request', answer)
  await listenAt(server, http)
  const watcher = watchTlsFiles(files, {
    directory: certPath,
    now: Date.now,
    log,
    onChange: ({ context }) => server.setSecureContext(context),
  })
  let isAside = false

  return { server, stepAside, close }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (!leader) sendUnavailable(response, STARTING)
    else if (request.url?.endsWith('/healthz'))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
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

function sendElsewhere(response: ServerResponse, leader: string | undefined): void {
  const detail = leader
    ? `This broker stands by: ${leader} leads.`
    : 'This broker stands by, and there is no leader at the moment: try again.'
  sendUnavailable(response, detail, leader ? { [LEADER_HEADER]: leader } : {})
}

function sendUnavailable(response: ServerResponse, detail: string, more: object = {}): void {
  response
    .writeHead(503, {
      'content-type': PROBLEM_MEDIA_TYPE,
      'retry-after': String(RETRY_AFTER_SECONDS),
      ...more,
      // The next attempt may reach another broker behind the same name.
      connection: 'close',
    })
    .end(JSON.stringify(problemOf(new BrokerError('Unavailable', detail))))
}
