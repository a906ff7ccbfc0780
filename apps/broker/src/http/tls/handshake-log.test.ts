import { readFileSync } from 'node:fs'
import { connect as connectPlainly, Socket } from 'node:net'
import { join } from 'node:path'
import { connect, type SecureVersion, TLSSocket } from 'node:tls'
import { createConnections } from '@bourse/daemon/connections'
import { eventually } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import pino from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { logHandshakes } from './handshake-log.ts'
import { readTlsFiles } from './tls-files.ts'
import { createTlsServer, listenAt, portOf } from './tls-server.ts'

const federation = useCertificates()
const strangers = useCertificates()

async function aServer(revoked: readonly string[] = []) {
  const directory = await federation().forServer()
  if (revoked.length > 0) await federation().revoke(revoked, directory)
  const room = { maxConnections: 100, connections: createConnections() }
  const server = createTlsServer(await readTlsFiles(directory, Date.now()), room)
  const lines: string[] = []
  logHandshakes(server, pino({}, { write: (line: string) => void lines.push(line) }))
  await listenAt(server, { port: 0, host: '127.0.0.1' })
  onTestFinished(() => void server.close())
  const line = () => eventually('a line in the log', () => lines[0])

  return { server, lines, line, port: portOf(server) }
}

/** However it does: some clients see an error first, others nothing but the end. */
async function hungUp(socket: Socket): Promise<void> {
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined).resume()
  await new Promise((resolve) => socket.once('close', resolve))
}

async function shakeHands(port: number, certificates: string | undefined, version: SecureVersion) {
  const file = (directory: string, name: string) => readFileSync(join(directory, name))
  const socket = connect({
    port,
    host: '127.0.0.1',
    minVersion: version,
    maxVersion: version,
    ca: file(await federation().forCluster('paris'), 'ca.crt'),
    ...(certificates && {
      cert: file(certificates, 'tls.crt'),
      key: file(certificates, 'tls.key'),
    }),
  })
  await hungUp(socket)
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a handshake with %s', (version) => {
  it.each([
    {
      kind: 'an expired certificate',
      certificates: () =>
        federation().forLeaf('old', { commonName: 'old', usages: ['client'] }, -2),
      reason: 'CERT_HAS_EXPIRED',
      words: 'its certificate, or one in its chain, has expired',
    },
    {
      kind: "another federation's certificate",
      certificates: () => strangers().forCluster('paris'),
      reason: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      words: 'no authority in ca.crt has signed its certificate',
    },
    {
      kind: 'a certificate for servers',
      certificates: () => federation().forLeaf('web', { commonName: 'web', usages: ['server'] }),
      reason: 'INVALID_PURPOSE',
      words: 'its certificate is not meant for clients (no clientAuth usage)',
    },
    {
      kind: 'no certificate',
      certificates: async () => undefined,
      reason: 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE',
      words: 'it has no certificate',
    },
  ])('by $kind leaves one line that says who and why', async ({ certificates, reason, words }) => {
    const { port, lines, line } = await aServer()

    await shakeHands(port, await certificates(), version)

    expect(JSON.parse(await line())).toMatchObject({
      from: '127.0.0.1',
      reason,
      msg: `TLS handshake refused: ${words}`,
    })
    expect(lines).toHaveLength(1)
  })

  it('by a revoked certificate says so', async () => {
    const oslo = await federation().forCluster('oslo')
    const { port, line } = await aServer(['oslo'])

    await shakeHands(port, oslo, version)

    expect(await line()).toContain('TLS handshake refused: its certificate has been revoked')
  })
})

it('plain HTTP leaves a line, too', async () => {
  const { port, line } = await aServer()

  const socket = connectPlainly(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: broker\r\n\r\n')
  await hungUp(socket)

  expect(await line()).toContain('TLS handshake refused: it speaks plain HTTP')
})

describe('a flood', () => {
  const hangUp = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  const refused = () =>
    Object.assign(new TLSSocket(new Socket()), { authorizationError: 'CERT_REVOKED' })

  it('of refused certificates leaves no more than 30 lines a minute', async () => {
    const { server, lines } = await aServer()

    for (let count = 0; count < 100; count += 1) server.emit('tlsClientError', hangUp, refused())

    expect(lines.length).toBeGreaterThanOrEqual(30)
    // Twice as many if the minute changes just then.
    expect(lines.length).toBeLessThanOrEqual(60)
  })

  it('of callers that hang up leaves none', async () => {
    const { server, lines } = await aServer()

    server.emit('tlsClientError', hangUp, new TLSSocket(new Socket()))

    expect(lines).toEqual([])
  })
})
