import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, createServer, type TLSSocket } from 'node:tls'

export type Seen = Readonly<{ authorized: boolean; subject: Readonly<Record<string, string>> }>

/** A real mutual handshake; tells what the server thought of the client. */
export async function shakeHands(
  serverDir: string,
  clientDir: string,
  crl?: string,
): Promise<Seen> {
  const server = createServer({
    ...bundle(serverDir),
    requestCert: true,
    rejectUnauthorized: false,
    ...(crl === undefined ? {} : { crl }),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server always has such an address.
  const { port } = server.address() as AddressInfo
  const arrived = once(server, 'secureConnection')
  const client = connect({ ...bundle(clientDir), port, host: '127.0.0.1', servername: 'localhost' })
  await once(client, 'secureConnect')
  const [socket] = (await arrived) as [TLSSocket]
  const { subject } = socket.getPeerCertificate()
  const seen = { authorized: socket.authorized, subject: { ...subject } as Record<string, string> }
  client.destroy()
  socket.destroy()
  server.close()
  return seen
}

function bundle(dir: string) {
  const read = (name: string) => readFileSync(join(dir, name))
  return { cert: read('tls.crt'), key: read('tls.key'), ca: read('ca.crt') }
}
