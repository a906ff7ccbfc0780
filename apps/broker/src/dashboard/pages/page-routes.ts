import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../access/session.ts'
import { RETRY_AFTER_SECONDS } from '../access/token-guesses.ts'
import type { Asset } from './page-assets.ts'
import { NOT_BUILT_PAGE, PLAIN_STYLE, signInPage } from './plain-pages.ts'

type Ports = Readonly<{ assets: Map<string, Asset> | undefined; sessions: Sessions | undefined }>

export function addPageRoutes(server: FastifyInstance, { assets, sessions }: Ports): void {
  server.get('/plain.css', (_, reply) => reply.type('text/css; charset=utf-8').send(PLAIN_STYLE))
  if (sessions) addSignIn(server, sessions)
  if (!assets) {
    server.get('/', (_, reply) => html(reply, 503, NOT_BUILT_PAGE))
    return
  }
  for (const [path, asset] of assets) {
    const urlPath = path === '/index.html' ? '/' : path
    server.get(urlPath, (request, reply) => sendAsset(asset, request, reply))
  }
}

function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ 'cache-control': asset.cacheControl, etag: asset.etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send()
  reply.type(asset.type)
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  if (!takesGzip) return reply.send(asset.body)
  return reply.header('content-encoding', 'gzip').send(asset.gzipped)
}

function addSignIn(server: FastifyInstance, sessions: Sessions): void {
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: FastifyRequest, body: string | Buffer) => new URLSearchParams(String(body)),
  )
  server.get('/sign-in', (_, reply) => html(reply, 200, signInPage()))
  server.post('/sign-in', async (request, reply) => {
    const token = request.body instanceof URLSearchParams ? (request.body.get('token') ?? '') : ''
    // The browser says so: only a page that came over TLS posts from an https origin.
    const isEncrypted = request.headers.origin?.startsWith('https://') ?? false
    const answer = await sessions.signIn(token.trim(), { address: request.ip, isEncrypted })
    if (answer.kind === 'welcome')
      return reply.header('set-cookie', answer.setCookie).redirect('/', 303)
    if (answer.kind === 'wrongToken') return html(reply, 403, signInPage(answer.kind))
    reply.header('retry-after', RETRY_AFTER_SECONDS)
    return html(reply, 429, signInPage(answer.kind))
  })
}

function html(reply: FastifyReply, status: number, page: string): FastifyReply {
  reply.header('cache-control', 'no-store')
  return reply.code(status).type('text/html; charset=utf-8').send(page)
}
