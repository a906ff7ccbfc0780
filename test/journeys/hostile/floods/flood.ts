/** What one cluster sends, as fast as its broker takes it. */
export type Flood = Readonly<{
  name: string
  /** Sent again when it is answered; `n` makes each one different. Absent: nothing is sent. */
  request?(n: number): string
  connections: number
  /** Requests sent at once on each connection; default 1. */
  pipelined?: number
  /** Reads nothing of what it is answered, and asks on. */
  isDeaf?: true
  /** It does not wait for its answers: instead of being told 429 it is cut off. */
  isCutOff?: true
  /** Sent after the request, again and again, for as long as the connection takes it. */
  goesOn?: string
  /** A new connection for each request. */
  reconnects?: true
  /** Requests a second in all; default as many as possible. */
  perSecond?: number
  /** It sends nothing that could be answered. */
  isSilent?: true
  /** Sent by the one that has many reservations; others are sent by a cluster that has nothing. */
  byHolder?: true
  /** Sent by one that the broker does not let in. */
  byDenied?: true
}>

export type FloodTarget = Readonly<{
  /** Who sends it. */
  attacker: string
  /** The first index of which the broker still knows the events. */
  oldest: number
  /** A reservation of the one that has many. */
  own: string
}>

const API = '/api/v1'

function ask(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: broker\r\n${headers}\r\n`
}

function post(path: string, body: string, method = 'POST'): string {
  const length = Buffer.byteLength(body)
  const head = `${method} ${API}${path} HTTP/1.1\r\nHost: broker\r\nContent-Type: application/json`
  return `${head}\r\nContent-Length: ${length}\r\n\r\n${body}`
}

/** What it begins with; the body follows. */
function endless(path: string, length: string): string {
  const head = `POST ${API}${path} HTTP/1.1\r\nHost: broker\r\nContent-Type: application/json`
  return `${head}\r\n${length}\r\n\r\n`
}
const CHUNK_BYTES = 64 * 1024

const objectOf = (count: number, member: (n: number) => string) =>
  `{${Array.from({ length: count }, (_, n) => member(n)).join(',')}}`

const vector = '{"cpu":"1","memory":"1Gi"}'
const wish = '{"requestedResources":{"cpu":"1m"}}'
/** Made once: the flood is to be the broker's work, not its own. */
const once = (text: string) => () => text

const label = (n: number) => `"l${n.toString(36)}":"v"`
const used = (n: number) => `"rsv-abcde-${n.toString(36)}":${vector}`
const resource = (n: number) => `"example.com/device-${n}":"1"`

export function createFloods({ attacker, oldest, own }: FloodTarget): Flood[] {
  const advertisement = (more: string) =>
    `{"clusterID":"${attacker}","resources":{"capacity":${vector}},${more}}`
  return [
    {
      name: '1 MiB of JSON, 20 a second',
      request: once(post('/advertisements', advertisement(`"labels":${objectOf(91_000, label)}`))),
      connections: 4,
      perSecond: 20,
    },
    {
      name: 'more than 1 MiB, 20 a second',
      request: once(post('/advertisements', advertisement(`"labels":${objectOf(100_000, label)}`))),
      connections: 4,
      perSecond: 20,
    },
    {
      name: 'as much JSON as is read',
      request: once(post('/advertisements', advertisement(`"used":${objectOf(13_000, used)}`))),
      connections: 8,
    },
    {
      name: '1 MiB of brackets',
      request: once(post('/evaluations', '['.repeat(1_000_000))),
      connections: 8,
    },
    {
      name: 'events since the oldest',
      byHolder: true,
      request: once(ask(`${API}/events?after=${oldest}`)),
      connections: 16,
      reconnects: true,
    },
    {
      name: 'long lists',
      byHolder: true,
      request: once(ask(`${API}/reservations?limit=1000`)),
      connections: 16,
    },
    {
      name: 'ended ones in long lists',
      byHolder: true,
      request: once(ask(`${API}/reservations?limit=1000&phase=Released,Failed,Reserved`)),
      connections: 16,
    },
    { name: 'evaluations', request: once(post('/evaluations', wish)), connections: 32 },
    { name: '/healthz', request: once(ask('/healthz')), connections: 64, pipelined: 3 },
    { name: 'silent connections', connections: 200, isSilent: true },
    {
      name: 'answers that are not read',
      byHolder: true,
      request: once(ask(`${API}/reservations?limit=1000`)),
      connections: 64,
      pipelined: 3,
      isDeaf: true,
      isCutOff: true,
    },
    {
      name: 'pipelined requests',
      request: once(ask(`${API}/instructions`)),
      connections: 64,
      pipelined: 5,
    },
    {
      name: 'hundreds of requests at once',
      request: once(ask(`${API}/instructions`)),
      connections: 8,
      pipelined: 500,
      isCutOff: true,
    },
    {
      name: 'many headers',
      request: once(ask(`${API}/instructions`, 'x: y\r\n'.repeat(500))),
      connections: 32,
    },
    {
      name: 'deep JSON',
      request: once(
        post('/advertisements', advertisement(`"liqo":${'['.repeat(30_000)}${']'.repeat(30_000)}`)),
      ),
      connections: 16,
    },
    {
      name: 'a wish for 64 resources',
      request: once(post('/evaluations', `{"requestedResources":${objectOf(64, resource)}}`)),
      connections: 32,
    },
    {
      name: 'an advertisement of 1,000 resources',
      request: once(
        post(
          '/advertisements',
          `{"clusterID":"${attacker}","resources":{"capacity":${objectOf(1_000, resource)}}}`,
        ),
      ),
      connections: 32,
    },
    {
      name: 'long polls that end at once',
      request: once(ask(`${API}/instructions?wait=1ms`)),
      connections: 64,
      pipelined: 3,
    },
    { name: 'reserve, and again', request: once(post('/reservations', wish)), connections: 64 },
    {
      name: 'nothing there',
      request: (n) => ask(`${API}/${'x'.repeat(8_000)}${n}`),
      connections: 64,
    },
    {
      name: 'explanations',
      byHolder: true,
      request: once(ask(`${API}/reservations/${own}/explanation`)),
      connections: 16,
    },
    {
      name: 'audits, which are for operators',
      request: once(ask(`${API}/audit`)),
      connections: 32,
    },
    {
      name: 'renewals',
      byHolder: true,
      request: once(post(`/reservations/${own}/renew`, '{"duration":"1h"}')),
      connections: 64,
    },
    {
      name: 'changing blobs',
      request: (n) => post('/advertisements', advertisement(`"liqo":"${'x'.repeat(60_000)}${n}"`)),
      connections: 16,
    },
    {
      name: 'a handshake for each request',
      request: once(ask('/healthz')),
      connections: 16,
      reconnects: true,
    },
    {
      name: 'bodies that never end',
      request: once(endless('/reservations', 'Content-Length: 1000000000')),
      goesOn: 'x'.repeat(CHUNK_BYTES),
      connections: 8,
    },
    {
      name: 'bodies of unknown length',
      request: once(endless('/reservations', 'Transfer-Encoding: chunked')),
      goesOn: `${CHUNK_BYTES.toString(16)}\r\n${'x'.repeat(CHUNK_BYTES)}\r\n`,
      connections: 8,
    },
    {
      name: 'what a cluster that is not let in asks',
      byDenied: true,
      request: once(ask(`${API}/instructions`)),
      connections: 64,
      pipelined: 3,
    },
  ]
}
