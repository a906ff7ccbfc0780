import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { BODY_BYTES_MAX } from '@bourse/contract'
import { BACKLOG, type Connections, knownCallerLimits } from '@bourse/daemon/connections'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import type { Logger } from 'pino'
import { createCertificateCaller } from '../../http/callers/certificate-caller.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'
import { HANDSHAKE_TIMEOUT_MS } from '../../http/requests/http-limits.ts'
import { logHandshakes } from '../../http/tls/handshake-log.ts'
import { readTlsFiles, type TlsFiles } from '../../http/tls/tls-files.ts'
import { createTlsGenerations } from '../../http/tls/tls-generations.ts'
import { watchTlsFiles } from '../../http/tls/watch-tls-files.ts'
import type { CarrierLimits } from '../relay/carrier-limits.ts'
import type { IdentifyCaller, Relay } from '../relay/create-relay.ts'
import { brokerRoutes, type CallStream, calledBy } from './broker-routes.ts'
import { createOpenCalls } from './open-calls.ts'
import { createSessions } from './sessions.ts'

type Ports = Readonly<{
  relay: Relay
  limits: CarrierLimits
  now(): number
  connections: Connections
  log: Logger
}>
export type GrpcSettings = Readonly<{
  /** A directory with tls.crt, tls.key, ca.crt and, if need be, crl.pem. */
  certPath: string
  port: number
  host?: string
  maxConnections: number
}>

/** Calls and watches that one connection may have open at a time; see `carrier-limits`. */
const STREAMS_MAX = 320
const ENVELOPE_BYTES_MAX = 8 * 1024
/** Longer than a call waits or a watch is silent: only one that is not read, or never came. */
const STREAM_IDLE_MS = 100_000

/** The REST API, carried by gRPC over mutual TLS. Throws if the certificates are unusable. */
export async function openGrpcDoor(ports: Ports, settings: GrpcSettings) {
  const { relay, limits, now, connections, log } = ports
  const files = await readTlsFiles(settings.certPath, now())
  const sessions = createSessions()
  const calls = createOpenCalls()
  const server = createServer(files)
  const sockets = { ...knownCallerLimits, openMax: settings.maxConnections }
  connections.keep(server, { name: 'grpc', limits: sockets })
  const generations = createTlsGenerations(server, files)
  const identify = createCertificateCaller({ ...generations, now })
  server.on('secureConnection', sessions.noteSocket)
  server.on('session', (session: ServerHttp2Session) => sessions.note(session))
  logHandshakes(server, log)
  const answer = connectNodeAdapter({
    routes: brokerRoutes({ relay, calls, limits }),
    grpcWeb: false,
    connect: false,
    readMaxBytes: BODY_BYTES_MAX + ENVELOPE_BYTES_MAX,
    contextValues: (request) => calledBy(streamOf(request as Http2ServerRequest)),
  })
  server.on('request', (request, response) => {
    const { stream } = request
    stream.setTimeout(STREAM_IDLE_MS, () => stream.close(constants.NGHTTP2_CANCEL))
    if (isAdmitted(request)) answer(request, response)
    else stream.close(constants.NGHTTP2_REFUSED_STREAM)
  })
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

  /** Also what never becomes a call costs something, and so is counted from its beginning. */
  function isAdmitted(request: Http2ServerRequest): boolean {
    const { identify: caller, whenOver } = streamOf(request)
    const id = idOf(caller)
    if (limits.take('streams', id)) return false
    whenOver(() => limits.giveBack('streams', id))
    return true
  }

  function streamOf({ socket: shown, stream }: Http2ServerRequest): CallStream {
    // Kept: a call that outlives its connection still has a caller.
    let socket: TLSSocket | undefined
    return {
      identify() {
        socket ??= sessions.socketOf(shown)
        return identify(socket)
      },
      whenOver: (listener) => whenOver(stream, listener),
    }
  }

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

/** All that cannot be known share one name, and so its limits. */
function idOf(identify: IdentifyCaller): string {
  try {
    return identify().id
  } catch (refusal) {
    if (refusal instanceof BrokerError) return ''
    throw refusal
  }
}

function whenOver(stream: ServerHttp2Stream, listener: () => void): void {
  if (stream.destroyed) listener()
  else stream.once('close', listener)
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
