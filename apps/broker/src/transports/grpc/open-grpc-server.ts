import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { type Connections, knownCallerLimits } from '@bourse/daemon/connections'
import type { Logger } from 'pino'
import type { FairShare } from '../../fair-share/index.ts'
import { createCertificateCaller } from '../../http/callers/certificate-caller.ts'
import { chargeHandshakes } from '../../http/callers/charge-handshakes.ts'
import { HANDSHAKE_TIMEOUT_MS } from '../../http/requests/http-limits.ts'
import { logHandshakes } from '../../http/tls/handshake-log.ts'
import { readTlsFiles, type TlsFiles } from '../../http/tls/tls-files.ts'
import { createTlsGenerations } from '../../http/tls/tls-generations.ts'
import { listenAt } from '../../http/tls/tls-server.ts'
import { watchTlsFiles } from '../../http/tls/watch-tls-files.ts'
import type { CarrierLimits } from '../relay/carrier-limits.ts'
import type { CarriedShare } from '../relay/charge-carried.ts'
import type { Relay } from '../relay/create-relay.ts'
import { admitStreams } from './admit-streams.ts'
import { answerCalls } from './answer-calls.ts'
import { brokerRoutes } from './broker-routes.ts'
import { createOpenCalls } from './open-calls.ts'
import { createSessions } from './sessions.ts'

type Ports = Readonly<{
  relay: Relay
  limits: CarrierLimits
  share: CarriedShare & Pick<FairShare, 'paused' | 'line'>
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
/**
 * Bytes of one stream that are on their way or unread. A caller has hundreds of streams, and may
 * send as much by each before it is refused.
 */
const WINDOW_BYTES = 16 * 1024
/** Streams that are reset on one connection, at once and then each second; more end it. */
const RESETS = { streamResetBurst: 200, streamResetRate: 33 }

/** The REST API, carried by gRPC over mutual TLS. Throws if the certificates are unusable. */
export async function openGrpcServer(ports: Ports, settings: GrpcSettings) {
  const { relay, limits, share, now, connections, log } = ports
  const files = await readTlsFiles(settings.certPath, now())
  const sessions = createSessions()
  const calls = createOpenCalls()
  const server = createServer(files)
  const sockets = { ...knownCallerLimits, openMax: settings.maxConnections }
  connections.keep(server, { name: 'grpc', limits: sockets })
  const generations = createTlsGenerations(server, files)
  const identify = createCertificateCaller({ ...generations, now })
  const handshakes = chargeHandshakes(server, { share, identify, now: steadily })
  logHandshakes(server, log)
  const answer = answerCalls({
    methods: brokerRoutes({ relay, calls, limits }),
    line: share.line,
    onFault: (err) => log.error({ err }, 'a call by gRPC failed'),
  })
  const streams = admitStreams({
    limits,
    share,
    now: steadily,
    onCall(call) {
      const { stream, bytes, identify } = call
      const whenOver = (tell: () => void) => onceOver(stream, tell)
      answer({ ...call, caller: { bytes: bytes.length, identify, whenOver } })
    },
  })
  // Before the session that begins with it.
  server.prependListener('secureConnection', sessions.noteSocket)
  server.on('session', (session: ServerHttp2Session) => {
    const socket = sessions.note(session)
    streams.follow(session, {
      identify: () => ({ ...identify(socket), door: 'grpc' }),
      heardInVain: () => handshakes.heardInVain(socket),
    })
  })
  const watcher = watchTlsFiles(files, {
    directory: settings.certPath,
    now,
    log,
    onChange(next: TlsFiles) {
      generations.rotate(next)
      // Every client reconnects with the new certificates, also those that wait.
      calls.lookAgain()
      sessions.closeAll()
      log.info('certificates changed, gRPC connections renewed')
    },
  })
  const port = await listenAt(server, settings)
  log.info({ port }, 'the gRPC interface is open')

  return {
    port,
    name: 'grpc',
    /** It listens by itself, so it has no connection to lose. */
    trouble: () => undefined,
    async drain(timeoutMs: number): Promise<void> {
      watcher.close()
      calls.stop()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await sessions.drain(closed, timeoutMs)
    },
  }
}

const steadily = () => performance.now()

function onceOver(stream: ServerHttp2Stream, listener: () => void): void {
  if (stream.destroyed) listener()
  else stream.once('close', listener)
}

function createServer({ context }: TlsFiles): Http2SecureServer {
  return createSecureServer({
    ...context,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    requestCert: true,
    rejectUnauthorized: true,
    ...RESETS,
    settings: { maxConcurrentStreams: STREAMS_MAX, initialWindowSize: WINDOW_BYTES },
  })
}
