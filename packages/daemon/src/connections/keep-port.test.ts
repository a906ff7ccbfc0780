import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createPlainServer, type Server } from 'node:http'
import { createSecureServer, connect as openSession } from 'node:http2'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { eventually } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ConnectionLimits, createConnections } from './index.ts'
import type { KeptServer } from './keep-port.ts'
import { openPortLimits } from './limits.ts'

const federation = useCertificates()
const LONG = 'x'.repeat(20_000_000)
const ASK = 'GET / HTTP/1.1\r\nhost: here\r\n\r\n'

/** Limits on a server of its own, a clock that is set by hand, and looks when it is told to. */
async function keep(server: KeptServer, limits: Partial<ConnectionLimits> = {}, bytesMax = 1e9) {
  const clock = { now: 0 }
  const time = { now: () => clock.now, tick() {} }
  const connections = createConnections({ time, unwrittenBytesMax: bytesMax })
  connections.keep(server, { name: 'door', limits: { ...openPortLimits, ...limits } })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void server.close())

  function dial(says = ''): Socket {
    const socket = connect(port, '127.0.0.1')
    follow(socket)
    socket.write(Buffer.from(says, 'latin1'))
    return socket
  }
  function sweepAt(now: number): void {
    clock.now = now
    connections.sweep()
  }
  const figures = () => connections.figures()[0]
  const dropped = () => Object.fromEntries(figures()?.dropped ?? [])
  const opened = (count: number) =>
    eventually(`${count} are open`, () => figures()?.open === count || undefined)
  return { ...connections, port, dial, sweepAt, figures, dropped, opened }
}

function follow(socket: Socket): void {
  onTestFinished(() => void socket.destroy())
  // Being cut off is what it is for.
  socket.on('error', () => undefined)
}

function aServer(body = 'hello'): Server {
  return createPlainServer((_request, response) => response.end(body))
}

async function files(made = federation().forServer()) {
  const directory = await made
  const file = (name: string) => readFileSync(join(directory, name))
  return { cert: file('tls.crt'), key: file('tls.key'), ca: file('ca.crt') }
}

/** A reset is an end as well, so this does not wait by `once`, which would throw it. */
const gone = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.closed) resolve()
    else socket.resume().once('close', () => resolve())
  })

describe('a port that is full', () => {
  it('has room for a newcomer, and the oldest that asks nothing goes', async () => {
    const { dial, opened, dropped, report } = await keep(aServer(), { openMax: 2 })
    const oldest = dial()
    await opened(1)
    dial()
    await opened(2)

    const newcomer = dial(ASK)
    const [answer] = await once(newcomer, 'data')
    await gone(oldest)

    expect(String(answer)).toContain('200 OK')
    expect(dropped()).toEqual({ room: 1 })
    expect(report()).toBe('door 2 of 2')
  })

  it('answers any other expectation like any other request', async () => {
    const { dial } = await keep(aServer(), {})

    const [answer] = await once(dial(ASK.replace('\r\n\r\n', '\r\nExpect: more\r\n\r\n')), 'data')

    expect(String(answer)).toContain('200 OK')
  })

  it('gives up an answer that is not read where newcomers come first', async () => {
    const streaming = createPlainServer((_request, response) => response.write('a line'))
    const { dial, dropped } = await keep(streaming, { openMax: 1, newcomersFirst: true })
    const unread = dial(ASK)
    await once(unread, 'data')

    const newcomer = dial(ASK)
    await once(newcomer, 'data')
    await gone(unread)

    expect(dropped()).toEqual({ room: 1 })
  })

  it('refuses the newcomer when all are being answered, and says so for a while', async () => {
    const streaming = createPlainServer((_request, response) => response.write('a line'))
    const { dial, dropped, report, sweepAt } = await keep(streaming, {
      openMax: 1,
      newcomersFirst: false,
    })
    await once(dial(ASK), 'data')

    await gone(dial(ASK))
    const told = report()
    sweepAt(15_000)

    expect(dropped()).toEqual({ full: 1 })
    expect(told).toBe('door 1 of 1: exhausted, new connections are refused')
    expect(report()).toBe('door 1 of 1')
  })
})

describe('a connection that was ended', () => {
  it('is given up when the other side does not hang up', async () => {
    const server = aServer()
    server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { opened, port, dropped, sweepAt } = await keep(server, { endedMs: 5_000 })
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    follow(socket)
    socket.write('no HTTP\r\n\r\n')
    await once(socket.resume(), 'end')

    sweepAt(0)
    sweepAt(4_999)
    const before = dropped()
    sweepAt(5_000)
    await opened(0)

    expect(before).toEqual({})
    expect(dropped()).toEqual({ ended: 1 })
  })
})

describe('an answer that its client does not read', () => {
  it('is given up with its connection after a while', async () => {
    const { dial, dropped, sweepAt, unwrittenBytes } = await keep(aServer(LONG))
    const socket = dial(ASK).pause()
    await eventually('it waits', () => {
      sweepAt(0)
      return unwrittenBytes() > 1e6 || undefined
    })
    // What the kernel takes at first is taken.
    await eventually('nothing moves', () => {
      const before = unwrittenBytes()
      sweepAt(1)
      return before === unwrittenBytes() || undefined
    })

    sweepAt(20_001)
    await gone(socket)

    expect(dropped()).toEqual({ unread: 1 })
  })

  it('is given up at once when too many bytes wait', async () => {
    const { dial, dropped, opened, sweepAt } = await keep(aServer(LONG), {}, 30_000_000)
    dial(ASK).pause()
    await opened(1)
    dial(ASK).pause()

    await eventually('one has gone', () => {
      sweepAt(0)
      return dropped().memory
    })
    await opened(1)

    expect(dropped()).toEqual({ memory: 1 })
  })

  it('is no reason to answer more and more on the same connection', async () => {
    const { dial, dropped } = await keep(aServer(LONG), { pipelinedMax: 3 })

    await gone(dial(ASK.repeat(5)).pause())

    expect(dropped()).toEqual({ pipelined: 1 })
  })

  it('is given up without a stack for each request that was behind it', async () => {
    const stacks: (string | undefined)[] = []
    const silent = createPlainServer((request) => {
      request.on('error', ({ stack }) => stacks.push(stack))
    })
    const { dial } = await keep(silent, { pipelinedMax: 3 })
    const limitBefore = Error.stackTraceLimit

    await gone(dial(ASK.repeat(100)))
    await eventually('all have heard', () => stacks.length === 100 || undefined)

    expect(new Set(stacks)).toEqual(new Set(['Error: aborted']))
    expect(Error.stackTraceLimit).toBe(limitBefore)
  })
})

describe('a handshake', () => {
  it('of one that says nothing, or half a hello, is never begun and soon given up', async () => {
    const server = createServer(await files())
    const { dial, dropped, figures, sweepAt } = await keep(server, { silentMs: 5_000 })
    const sockets = [dial(), dial('\x16\x03\x01\x02\x00\x01')]
    await eventually('both are here', () => figures()?.arriving === 2 || undefined)

    sweepAt(5_000)
    await Promise.all(sockets.map(gone))

    expect(dropped()).toEqual({ silent: 2 })
    expect(figures()).toMatchObject({ open: 0, arriving: 0, handshakes: 0 })
  })

  it('of one that hangs up, before its hello or within, is forgotten at once', async () => {
    const { dial, dropped, figures, turnover } = await keep(createServer(await files()))
    const sockets = [dial(), dial('\x16\x03\x01\x02\x00\x01')]
    await eventually('both are here', () => figures()?.arriving === 2 || undefined)

    for (const socket of sockets) socket.end()

    await eventually('nothing is left', () => figures()?.arriving === 0 || undefined)
    expect(dropped()).toEqual({})
    await eventually('two came and went', () => turnover() === 4 || undefined)
  })

  it('that fails, or that no listener goes on with, leaves nothing', async () => {
    const server = createServer({ ...(await files()), handshakeTimeout: 50 })
    // As fastify does: no client is left to hear it.
    server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { dial, figures, dropped } = await keep(server)
    const hello = await aHello()

    await Promise.all([gone(dial(ASK)), gone(dial(hello))])

    await eventually('nothing is left', () => figures()?.arriving === 0 || undefined)
    expect(dropped()).toEqual({ handshake: 2 })
  })

  it('that is through counts for the caller', async () => {
    const server = createServer({ ...(await files()), requestCert: true })
    const { port, opened, dropped } = await keep(server, { openPerCallerMax: 1 })
    const line = { port, host: '127.0.0.1', ...(await files(federation().forCluster('rome'))) }
    const socket = connectSecurely(line)
    follow(socket)
    await opened(1)

    follow(connectSecurely(line))
    await gone(socket)

    expect(dropped()).toEqual({ caller: 1 })
  })
})

describe('a call over HTTP/2 whose answer is not read', () => {
  it('is given up, and others on the same connection are not', async () => {
    const { ca, ...own } = await files()
    const server = createSecureServer(own, (request, response) =>
      response.end(request.url === '/long' ? LONG.slice(0, 2_000_000) : 'hello'),
    )
    const { port, dropped, sweepAt, unwrittenBytes } = await keep(server)
    const session = openSession(`https://127.0.0.1:${port}`, { ca })
    onTestFinished(() => session.destroy())
    const unread = session.request({ ':path': '/long' }).pause()
    unread.on('error', () => undefined)
    await eventually('it waits', () => {
      sweepAt(0)
      return unwrittenBytes() > 1e6 || undefined
    })
    // The connection itself goes on.
    const settle = async () => once(session.request({ ':path': '/' }).resume(), 'end')
    await settle()
    sweepAt(19_999)
    await settle()

    sweepAt(20_000)
    await once(unread, 'close')
    await settle()

    expect(dropped()).toEqual({ unread: 1 })
    expect(session.destroyed).toBe(false)
  })
})

/** What a client says first. */
async function aHello(): Promise<string> {
  const server = createPlainServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [{ rawPacket }] = await Promise.all([
    once(server, 'clientError').then(([error]) => error),
    Promise.resolve(follow(connectSecurely({ port, host: '127.0.0.1' }))),
  ])
  server.close()
  return rawPacket.toString('latin1')
}
