import { brokerService } from '@bourse/contract/grpc'
import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { ClientClosed } from '../communicator/errors.ts'
import type { CertificateFiles, Certificates } from '../http/certificate-files.ts'

type BrokerClient = Client<typeof brokerService>
type Ports = Readonly<{ files: CertificateFiles }>

/** A dead peer is detected after both of these. */
const PING_EVERY_MS = 20_000
const PING_TIMEOUT_MS = 10_000

/** One connection per broker, replaced when the certificates change; running calls may finish. */
export function createGrpcConnections({ files }: Ports) {
  const using = new Map<string, Readonly<{ certificates: Certificates; client: BrokerClient }>>()
  const open = new Set<Http2SessionManager>()
  let isClosed = false

  return { client, close }

  async function client(origin: string): Promise<BrokerClient> {
    const certificates = await files.current()
    if (isClosed) throw new ClientClosed()
    const known = using.get(origin)
    if (known?.certificates === certificates) return known.client
    const dialled = dial(origin, certificates)
    using.set(origin, { certificates, client: dialled })
    return dialled
  }

  function dial(origin: string, certificates: Certificates): BrokerClient {
    const pings = { pingIntervalMs: PING_EVERY_MS, pingTimeoutMs: PING_TIMEOUT_MS }
    const sessionManager = new Http2SessionManager(origin, pings, { ...certificates })
    open.add(sessionManager)
    return createClient(brokerService, createGrpcTransport({ baseUrl: origin, sessionManager }))
  }

  function close(): void {
    isClosed = true
    for (const manager of open) manager.abort()
  }
}
