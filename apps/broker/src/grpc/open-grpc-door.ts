import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { BODY_BYTES_MAX } from '@bourse/contract'
import { type Connections, knownCallerLimits } from '@bourse/daemon/connections'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import type { Logger } from 'pino'
import { createCertificateCaller } from '../http/certificate-caller.ts'
import { logHandshakes } from '../http/handshake-log.ts'
import { BACKLOG, HANDSHAKE_TIMEOUT_MS } from '../http/http-limits.ts'
import { readTlsFiles, type TlsFiles } from '../http/tls-files.ts'
import { createTlsGenerations } from '../http/tls-generations.ts'
import { watchTlsFiles } from '../http/watch-tls-files.ts'
import type { Relay } from '../relay/create-relay.ts'
import { brokerRoutes, callerBy } from './broker-routes.ts'
import { createOpenCalls } from './open-calls.ts'
import { createSessions } from './sessions.ts'

type Ports = Readonly<{ relay: Relay; now(): number; connections: Connections; log: Logger }>
export type GrpcSettings = Readonly<{
  /** A directory with tls.crt, tls.key, ca.crt and, if need be, crl.pem. */
  certPath: string
  port: number
  host?: string
  maxConnections: number
}>

/** Calls and watches that one connection may have open at a time. */
const STREAMS_MAX = 1_000
const ENVELOPE_BYTES_MAX = 8 * 1024

/** The REST API, carried by gRPC over mutual TLS. Throws if the certificates are unusable. */
export async function openGrpcDoor(ports: Ports, settings: GrpcSettings) {
  const { relay, now, connections, log } = ports
  const files = await readTlsFiles(settings.certPath, now())
  const sessions = createSessions()
  const calls = createOpenCalls()
  const server = createServer(files)
  const limits = { ...knownCallerLimits, openMax: settings.maxConnections }
  connections.keep(server, { name: 'grpc', limits })
  const generations = createTlsGenerations(server, files)
  const identify = createCertificateCaller({ ...generations, now })
  server.on('secureConnection', sessions.noteSocket)
  server.on('session', (session: ServerHttp2Session) => sessions.note(session))
  logHandshakes(server, log)
  server.on(
    'request',
    connectNodeAdapter({
      routes: brokerRoutes(relay, calls),
      grpcWeb: false,
      connect: false,
      readMaxBytes: BODY_BYTES_MAX + ENVELOPE_BYTES_MAX,
      contextValues: ({ socket: shown }) => {
        // Kept: a call that outlives its connection still has a caller.
        let socket: TLSSocket | undefined
        return callerBy(() => {
          socket ??= sessions.socketOf(shown)
          return identify(socket)
        })
      },
    }),
  )
  const watcher = watchTlsFiles(files, {
    ...{ directory: settings.certPath, now, log },
    onChange(next: TlsFiles) {
      generations.rotate(next)
      // Whoever is here comes back with a handshake under the new ones, also those who wait.
      calls.lookAgain()
      sessions.closeAll()
      log.info('certificates changed, gRPC connections renewed')
    },
  })
  const port = await listen(server, settings)
  log.info({ port }, 'the gRPC door is open')

  return {
    port,
    name: 'grpc',
    /** It listens, and has nobody to lose. */
    trouble: () => undefined,
    async drain(timeoutMs: number): Promise<void> {
      watcher.close()
      calls.stop()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await sessions.drain(closed, timeoutMs)
    },
  }
}

function createServer({ context }: TlsFiles): Http2SecureServer {
  return createSecureServer({
    ...context,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    requestCert: true,
    rejectUnauthorized: true,
    settings: { maxConcurrentStreams: STREAMS_MAX },
  })
}

async function listen(server: Http2SecureServer, { port, host }: GrpcSettings): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, backlog: BACKLOG, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // A TCP server's address is never a pipe's name.
  return (server.address() as AddressInfo).port
}
