import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { LEADER_HEADER, PROBLEM_MEDIA_TYPE } from '@bourse/contract'
import type { Logger } from 'pino'
import { BrokerError } from '../http/broker-error.ts'
import { problemOf } from '../http/error-reply.ts'
import { HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from '../http/http-limits.ts'
import { readTlsFiles } from '../http/tls-files.ts'
import { watchTlsFiles } from '../http/watch-tls-files.ts'

type Ports = Readonly<{
  http: Readonly<{ host?: string; port: number; certPath: string; maxConnections: number }>
  /** Where the leader is reached, if anybody leads. */
  leader(): string | undefined
  log: Logger
}>

export type StandbyDoor = Readonly<{ close(): Promise<void> }>

const RETRY_AFTER_SECONDS = 1

/**
 * The API's address while another broker leads. It answers no question, not even from books that
 * are up to date: only the leader knows that they are.
 */
export async function openStandbyDoor({ http, leader, log }: Ports): Promise<StandbyDoor> {
  const { certPath, host, port, maxConnections } = http
  const files = await readTlsFiles(certPath, Date.now())
  const mutual = { requestCert: true, rejectUnauthorized: true }
  const server = createServer({ ...files.context, ...mutual }, (request, response) => {
    if (request.url?.endsWith('/healthz')) sendHealthy(response)
    else sendElsewhere(response, leader())
  })
  server.maxConnections = maxConnections
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  const onChange = ({ context }: typeof files) => server.setSecureContext({ ...context, ...mutual })
  const watcher = watchTlsFiles(files, { directory: certPath, now: Date.now, log, onChange })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host !== undefined && { host }) }, resolve)
  })

  return {
    close() {
      watcher.close()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function sendHealthy(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
}

function sendElsewhere(response: ServerResponse, leader: string | undefined): void {
  const detail = leader
    ? `This broker stands by: ${leader} leads.`
    : 'This broker stands by, and nobody leads at the moment: ask again.'
  response
    .writeHead(503, {
      'content-type': PROBLEM_MEDIA_TYPE,
      'retry-after': String(RETRY_AFTER_SECONDS),
      ...(leader && { [LEADER_HEADER]: leader }),
      // The next attempt may then reach another broker behind the same name.
      connection: 'close',
    })
    .end(JSON.stringify(problemOf(new BrokerError('Unavailable', detail))))
}
