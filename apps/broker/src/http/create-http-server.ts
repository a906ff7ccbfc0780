import type { Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { createCertificateCaller } from './certificate-caller.ts'
import { createClientErrorAnswer } from './client-errors.ts'
import { type Api, type ApiPorts, type ApiSettings, createApi } from './create-api.ts'
import { createDateHeader } from './date-header.ts'
import { logHandshakes } from './handshake-log.ts'
import { BACKLOG, HANDSHAKE_TIMEOUT_MS, serverOptions, transportLimits } from './http-limits.ts'
import { readTlsFiles, type TlsFiles } from './tls-files.ts'
import { createTlsGenerations } from './tls-generations.ts'
import { watchTlsFiles } from './watch-tls-files.ts'

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

export type HttpServer = {
  listen(): Promise<{ port: number }>
  /** Ends polls and streams, answers what is here, takes nothing new; in the end it cuts off. */
  drain(timeoutMs: number): Promise<void>
  /** The certificates in force, for the metrics port, and word of each change. */
  tls(): TlsFiles
  onRotation(follow: (files: TlsFiles) => void): void
  /** Long polls that are open. */
  waiting(): number
}

/** The API over HTTPS with client certificates. Throws if the certificates are unusable. */
export async function createHttpServer(
  ports: ApiPorts,
  settings: HttpSettings,
): Promise<HttpServer> {
  const { now, log } = ports
  let files = await readTlsFiles(settings.certPath, now())
  for (const warning of files.warnings) log.warn(warning)
  const app = createServer(ports, settings, files)
  const { server } = app
  server.maxConnections = settings.maxConnections
  const generations = createTlsGenerations(server, files)
  logHandshakes(server, log)
  let isDraining = false
  const followers: ((files: TlsFiles) => void)[] = []

  // Routes do not care what carries them; fastify's types do.
  const api = await createApi(app as unknown as FastifyInstance, ports, {
    settings,
    identify: createCertificateCaller({ ...generations, now }),
    isLast: (request: FastifyRequest) =>
      isDraining || !generations.isCurrent(request.raw.socket as TLSSocket),
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
    generations.rotate(next)
    api.endWaits({ closing: false })
    for (const follow of followers) follow(next)
    log.info({ revoked: next.revocations.count }, 'certificates changed, connections renewed')
  }

  async function listen(): Promise<{ port: number }> {
    await app.ready()
    const { port, host } = settings
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, backlog: BACKLOG, ...(host !== undefined && { host }) }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    // A TCP server's address is never a pipe's name.
    return { port: (server.address() as AddressInfo).port }
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
    onRotation: (follow) => void followers.push(follow),
    waiting: api.waiting,
  }
}

function createServer(ports: ApiPorts, settings: HttpSettings, files: TlsFiles) {
  const { ledgerId } = settings
  const answerClientError = createClientErrorAnswer({
    ledgerId,
    index: () => ports.writer.index(),
    date: createDateHeader(ports.now),
  })
  return fastify({
    ...serverOptions,
    clientErrorHandler: (error: Error, socket: Socket) => answerClientError(error, socket),
    https: {
      ...files.context,
      ...transportLimits,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      requestCert: true,
      rejectUnauthorized: true,
    },
  })
}

async function closeWithin(server: Server, api: Api, timeoutMs: number): Promise<void> {
  if (!server.listening) return api.endWaits({ closing: true })
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  api.endWaits({ closing: true })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([closed, late])
  clearTimeout(timer)
  server.closeAllConnections()
}
