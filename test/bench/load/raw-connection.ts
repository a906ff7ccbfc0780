import { connect } from 'node:tls'
import { identityIn } from '@bourse/testkit/identity'

export type RawAnswer = Readonly<{ status: number; head: string; body: Buffer }>

/**
 * HTTP/1.1 keep-alive over mutual TLS, one request in flight, and nothing else: the load must
 * cost as little as it can, since it shares its cores with what it measures.
 */
export type RawConnection = {
  /** `onAnswer` gets status 0 when the connection ends instead. */
  send(request: Buffer, onAnswer: (answer: RawAnswer) => void): void
  isOpen(): boolean
  close(): void
}

type Target = Readonly<{ port: number; directory: string }>

const HEAD_END = Buffer.from('\r\n\r\n')
const CLOSED: RawAnswer = { status: 0, head: '', body: Buffer.alloc(0) }

export function openConnection({ port, directory }: Target): Promise<RawConnection> {
  const target = { host: '127.0.0.1', port, servername: 'localhost' }
  const socket = connect({ ...target, ...identityIn(directory), ALPNProtocols: ['http/1.1'] })
  socket.setNoDelay(true)
  let received: Buffer | undefined
  let waiting: ((answer: RawAnswer) => void) | undefined

  socket.on('data', (chunk: Buffer) => {
    received = received ? Buffer.concat([received, chunk]) : chunk
    const answer = readAnswer(received)
    if (answer) settle(answer)
  })
  socket.on('close', () => settle(CLOSED))

  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      socket.off('error', reject)
      // A reset comes with `close`, which is where it is dealt with.
      socket.on('error', () => socket.destroy())
      resolve({ send, isOpen: () => !socket.destroyed && socket.writable, close })
    })
  })

  function send(request: Buffer, onAnswer: (answer: RawAnswer) => void): void {
    waiting = onAnswer
    if (socket.destroyed) settle(CLOSED)
    else socket.write(request)
  }

  function settle(answer: RawAnswer): void {
    received = undefined
    const onAnswer = waiting
    waiting = undefined
    onAnswer?.(answer)
  }

  function close(): void {
    socket.destroy()
  }
}

/** For the few requests around a measurement, where a promise's cost does not matter. */
export function ask(connection: RawConnection, request: Buffer): Promise<RawAnswer> {
  return new Promise((resolve) => connection.send(request, resolve))
}

/** The journal index that an answer reflects. */
export function indexOf({ head, status, body }: RawAnswer): string {
  const [, index] = /bourse-index: (\d+)/i.exec(head) ?? []
  if (index === undefined) throw new Error(`An answer without an index: ${status} ${body}`)
  return index
}

function readAnswer(bytes: Buffer): RawAnswer | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const [, length = '0'] = /content-length: (\d+)/i.exec(head) ?? []
  const bodyStart = headEnd + HEAD_END.length
  const end = bodyStart + Number(length)
  if (bytes.length < end) return undefined
  return { status: Number(head.slice(9, 12)), head, body: bytes.subarray(bodyStart, end) }
}
