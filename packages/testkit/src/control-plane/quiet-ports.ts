import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below what Linux gives to outgoing connections: nobody takes the port of a killed server. */
const LOWEST = 10_000
const HIGHEST = 32_767
const TRIES_MAX = 100

/** Loopback ports that stay free while the server that owns them is down. */
export async function quietPorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  for (let tries = 0; ports.size < count; tries++) {
    if (tries === TRIES_MAX) throw new Error(`No ${count} free ports below ${HIGHEST}.`)
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
