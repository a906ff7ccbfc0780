import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type ProbeServer, startHealthServer, startMetricsServer } from './probe-servers.ts'

const servers: ProbeServer[] = []
const bind = { host: '127.0.0.1', port: 0 }

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function ask(server: ProbeServer, path: string) {
  servers.push(server)
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`)
  return { status: reply.status, text: await reply.text() }
}

describe('the probes', () => {
  it('answer a kubelet, however many connections other clients have open', async () => {
    const { port, ...server } = await startHealthServer(bind, () => ({
      isReady: true,
      isLeader: true,
      checks: {},
    }))
    const idle = Array.from({ length: 300 }, () => connect(port, bind.host))
    // Those that have to give way see a reset.
    for (const socket of idle) socket.on('error', () => undefined)
    await Promise.all(idle.map((socket) => once(socket, 'connect')))

    const { status } = await ask({ port, ...server }, '/healthz')
    for (const socket of idle) socket.destroy()

    expect(status).toBe(200)
  })

  it.each([
    { path: '/healthz', isReady: false, status: 200, says: '"status":"ok"' },
    { path: '/readyz', isReady: true, status: 200, says: '"audit":"consistent"' },
    { path: '/readyz', isReady: false, status: 503, says: '"status":"unavailable"' },
    { path: '/leaderz', isReady: true, status: 200, says: '"status":"ok"' },
    { path: '/leaderz', isReady: false, status: 503, says: '"status":"unavailable"' },
    { path: '/constructor', isReady: true, status: 404, says: 'This path does not exist.' },
  ])('$path is $status when ready is $isReady', async ({ path, isReady, status, says }) => {
    const server = await startHealthServer(bind, () => ({
      isReady,
      isLeader: isReady,
      checks: { audit: 'consistent' },
    }))

    const reply = await ask(server, path)

    expect(reply.status).toBe(status)
    expect(reply.text).toContain(says)
  })

  it.each(['POST', 'DELETE', 'QUERY', 'PROPFIND'])('%s is no probe', async (method) => {
    const server = await startHealthServer(bind, () => ({
      isReady: true,
      isLeader: true,
      checks: {},
    }))
    servers.push(server)

    const reply = await fetch(`http://127.0.0.1:${server.port}/healthz`, { method })

    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('GET, HEAD')
    expect(reply.headers.get('content-type')).toBe('application/problem+json')
  })

  it('serves the metrics of the registry', async () => {
    const server = await startMetricsServer(bind, {
      contentType: 'text/plain',
      metrics: async () => 'broker_up 1\n',
    })

    const reply = await ask(server, '/metrics')

    expect(reply.text).toBe('broker_up 1\n')
  })

  it('says when the metrics cannot be gathered', async () => {
    const server = await startMetricsServer(bind, {
      contentType: 'text/plain',
      metrics: () => Promise.reject(new Error('a gauge failed')),
    })

    const reply = await ask(server, '/metrics')

    expect(reply.status).toBe(500)
  })
})
