import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** An https server on loopback that asks for client certificates. */
export async function startTlsServer(certPath: string, answer: RequestListener) {
  const read = (name: string) => readFileSync(join(certPath, name), 'utf8')
  const tls = { ca: read('ca.crt'), cert: read('tls.crt'), key: read('tls.key') }
  const server = createServer({ ...tls, requestCert: true }, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server always has such an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    tls,
    /** Ends every connection at once. */
    cut: () => server.closeAllConnections(),
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}
