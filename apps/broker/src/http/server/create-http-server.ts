import type { RequestListener } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Connections, createConnections } from '@bourse/daemon/connections'
import { createSignal } from '@bourse/daemon/signal'
import fastify, { type FastifyRequest } from 'fastify'
import { within } from '../../background/within.ts'
import { createDateHeader } from '../answers/answer-headers.ts'
import { createClientErrorAnswer } from '../answers/client-errors.ts'
import { createCertificateCaller } from '../callers/certificate-caller.ts'
import { chargeHandshakes } from '../callers/charge-handshakes.ts'
import { serverOptions } from '../requests/http-limits.ts'
import { logHandshakes } from '../tls/handshake-log.ts'
import { readTlsFiles, type TlsFiles } from '../tls/tls-files.ts'
import { createTlsGenerations } from '../tls/tls-generations.ts'
import { createTlsServer, listenAt, portOf } from '../tls/tls-server.ts'
import { watchTlsFiles } from '../tls/watch-tls-files.ts'
import { type Api, type ApiPorts, type ApiSettings, createApi } from './create-api.ts'
import { cutCrowds } from './cut-crowds.ts'

export type HttpSettings = ApiSettings &
  Readonly<{
    /** A directory with tls.crt, tls.key, ca.crt and, if need be, crl.pem. */
    certPath: string
    port: number
    host?: string
    maxConnections: number
    /** How often certificates are looked at, beside being told of changes. */
    certPollMs?: number
  }>

/** The server that listens at the API's address until now. */
export type EarlierServer = Readonly<{ server: Server; stepAside(): void }>

export type HttpServer = {
  listen(): Promise<{ port: number }>
  /** Ends polls and streams, answers open requests, accepts none; cuts off after the timeout. */
  drain(timeoutMs: number): Promise<void>
  /** The certificates in force, for the metrics port. */
  tls(): TlsFiles
  /** Called with each change of them. */
  onRotation(follow: (files: TlsFiles) => void): void
  /** Long polls and streams that are open. */
  waiting(): number
}

/** The API over HTTPS with client certificates. Throws if the certificates are unusable. */
export async function createHttpServer(
  ports: ApiPorts & Readonly<{ earlier?: EarlierServer | undefined; connections?: Connections }>,
  settings: HttpSettings,
): Promise<HttpServer> {
  const { now, log, earlier, connections = createConnections() } = ports
  const { maxConnections } = settings
  let files = await readTlsFiles(settings.certPath, now())
  for (const warning of files.warnings) log.warn(warning)
  const server = earlier?.server ?? createTlsServer(files, { maxConnections, connections })
  server.setSecureContext(files.context)
  const { app, answer } = createApp(ports, settings, server)
  const { isCurrent, revocations, rotate: renew } = createTlsGenerations(server, files)
  logHandshakes(server, log)
  const identify = createCertificateCaller({ isCurrent, revocations, now })
  const handshakes = chargeHandshakes(server, {
    share: ports.share,
    identify,
    now: () => performance.now(),
  })
  let isDraining = false
  const rotated = createSignal<[files: TlsFiles]>()

  const api = await createApi(app, ports, {
    settings,
    identify: (request) => identify(socketOf(request)),
    isLast: (request) => isDraining || !isCurrent(socketOf(request)),
  })
  const watcher = watchTlsFiles(files, {
    directory: settings.certPath,
    now,
    log,
    onChange: rotate,
    ...(settings.certPollMs !== undefined && { pollMs: settings.certPollMs }),
  })

  function rotate(next: TlsFiles): void {
    files = next
    for (const warning of next.warnings) log.warn(warning)
    renew(next)
    const waits = api.waiting()
    api.endWaits({ closing: false })
    rotated.tell(next)
    const { count: revoked } = next.revocations
    log.info({ revoked, waits }, 'certificates changed, connections renewed')
  }

  async function listen(): Promise<{ port: number }> {
    await app.ready()
    // In one turn of the event loop: every request finds exactly one handler.
    earlier?.stepAside()
    const careful = cutCrowds(answer, ports.writer.isCrowded)
    server.on('request', answerIfOpen(careful, handshakes.heardInVain))
    if (!server.listening) await listenAt(server, settings)
    return { port: portOf(server) }
  }

  async function drain(timeoutMs: number): Promise<void> {
    isDraining = true
    watcher.close()
    await closeWithin(server, api, timeoutMs)
    await app.close()
  }
  return {
    listen,
    drain,
    tls: () => files,
    onRotation: rotated.subscribe,
    waiting: api.waiting,
  }
}

/** Fastify on a server that exists already. */
function createApp(ports: ApiPorts, { ledgerId, term }: HttpSettings, server: Server) {
  const answerClientError = createClientErrorAnswer({
    ledgerId,
    term,
    index: () => ports.writer.index(),
    date: createDateHeader(ports.now),
  })
  let answer: RequestListener | undefined
  const app = fastify({
    ...serverOptions,
    clientErrorHandler: (error: Error, socket: Socket) => answerClientError(error, socket),
    serverFactory: (handler) => {
      answer = handler
      return server
    },
  })
  if (!answer) throw new Error('Fastify did not ask for its server.')
  return { app, answer }
}

/** 64 KB may hold a thousand requests; after the connection is cut, the rest is skipped. */
function answerIfOpen(
  answer: RequestListener,
  inVain: (socket: TLSSocket) => void,
): RequestListener {
  return (request, response) => {
    if (request.socket.destroyed) inVain(request.socket as TLSSocket)
    else answer(request, response)
  }
}

/** The server speaks TLS only; node types the socket as the plain one. */
function socketOf({ raw }: FastifyRequest): TLSSocket {
  return raw.socket as TLSSocket
}

async function closeWithin(server: Server, api: Api, timeoutMs: number): Promise<void> {
  if (!server.listening) return api.endWaits({ closing: true })
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  api.endWaits({ closing: true })
  await within(timeoutMs, closed)
  server.closeAllConnections()
}
