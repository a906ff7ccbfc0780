import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports of outgoing connections on Linux: none of them takes a killed server's port. */
const LOWEST = 10_000
const HIGHEST = 32_767
const TRIES_MAX = 100
/** More than files that run at the same time. */
const SHARES = 8
const SHARE_SIZE = Math.floor((HIGHEST - LOWEST) / SHARES)

/** A server may listen a minute after its port was found free: it is not given again until then. */
const given = new Set<number>()

/** Loopback ports that stay free while the server that owns them is down. */
export async function quietPorts(count: number): Promise<number[]> {
  const ports: number[] = []
  for (let tries = 0; ports.length < count; tries++) {
    if (tries === TRIES_MAX) throw new Error(`No ${count} free ports below ${HIGHEST}.`)
    const port = ownShare() + randomInt(SHARE_SIZE)
    if (given.has(port)) continue
    note(port)
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

/** Each worker of a test run has its own range, as it does not know the ports of the others. */
function ownShare(): number {
  const nth = Number(process.env.VITEST_POOL_ID ?? 0) % SHARES
  return LOWEST + nth * SHARE_SIZE
}

/** When half of the range was given, the servers of the oldest ports are gone. */
function note(port: number): void {
  given.add(port)
  const [oldest] = given
  if (given.size > SHARE_SIZE / 2 && oldest !== undefined) given.delete(oldest)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
