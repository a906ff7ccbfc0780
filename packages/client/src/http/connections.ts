import { type Dispatcher, Pool } from 'undici'
import { ClientClosed } from '../errors.ts'
import type { CertificateFiles, Certificates } from './certificate-files.ts'

export type Timeouts = Readonly<{ connectMs: number; headersMs: number; bodyMs: number }>

/** Long polls and streams wait on connections of their own, so that they hold up nothing else. */
export type Lane = 'short' | 'long' | 'stream'

export type Connections = {
  dispatcher(lane: Lane): Promise<Dispatcher>
  close(): Promise<void>
}

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000 }

const LANE_CONNECTIONS_MAX: Readonly<Record<Lane, number>> = { short: 4, long: 8, stream: 4 }
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** A stream has no size; its events have a limit each. */
const UNLIMITED = -1
const KEEP_ALIVE_MS = 30_000

type Lanes = Readonly<Record<Lane, Dispatcher>>
type Ports = { origin: string; files: CertificateFiles; timeouts: Timeouts }

/** Pooled mutual TLS. New certificate files mean new connections; calls under way may finish. */
export function createConnections({ origin, files, timeouts }: Ports): Connections {
  const open = new Set<Dispatcher>()
  let using: { certificates: Certificates; lanes: Lanes } | undefined
  let isClosed = false

  function connect(certificates: Certificates): Lanes {
    const lane = (kind: Lane) => {
      const pool = new Pool(origin, {
        connections: LANE_CONNECTIONS_MAX[kind],
        connect: { ...certificates, timeout: timeouts.connectMs },
        headersTimeout: timeouts.headersMs,
        bodyTimeout: timeouts.bodyMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        maxResponseSize: kind === 'stream' ? UNLIMITED : ANSWER_BYTES_MAX,
      })
      open.add(pool)
      return pool
    }
    return { short: lane('short'), long: lane('long'), stream: lane('stream') }
  }

  function retire(lanes: Lanes): void {
    for (const pool of Object.values(lanes)) {
      const drop = () => open.delete(pool)
      pool.close().then(drop, drop)
    }
  }

  return {
    async dispatcher(lane) {
      const certificates = await files.current()
      if (isClosed) throw new ClientClosed('This client has been closed.')
      if (using?.certificates !== certificates) {
        if (using) retire(using.lanes)
        using = { certificates, lanes: connect(certificates) }
      }
      return using.lanes[lane]
    },
    async close() {
      isClosed = true
      await Promise.all([...open].map((pool) => pool.destroy()))
    },
  }
}
