import { createServer, type Server } from 'node:https'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { BACKLOG, type Connections, knownCallerLimits } from '@bourse/daemon/connections'
import { refuseTunnels } from '@bourse/daemon/refuse-tunnels'
import {
  HANDSHAKE_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  REQUEST_TIMEOUT_MS,
  transportLimits,
} from '../requests/http-limits.ts'
import type { TlsFiles } from './tls-files.ts'

type Room = Readonly<{ maxConnections: number; connections: Connections }>

/** The server at the API's address. Its handler may change without refusing a connection. */
export function createTlsServer(
  { context }: TlsFiles,
  { maxConnections, connections }: Room,
): Server {
  const server = createServer({
    ...context,
    ...transportLimits,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestCert: true,
    rejectUnauthorized: true,
  })
  const limits = { ...knownCallerLimits, openMax: maxConnections }
  connections.keep(server, { name: 'api', limits })
  refuseTunnels(server, 'GET, POST, PUT, DELETE')
  return server
}

/** Listens, and answers with the port. */
export async function listenAt(
  server: NetServer,
  { port, host }: Readonly<{ port: number; host?: string }>,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, backlog: BACKLOG, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return portOf(server)
}

export function portOf(server: NetServer): number {
  // A TCP server's address is never a pipe's name.
  return (server.address() as AddressInfo).port
}
