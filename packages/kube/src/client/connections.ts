import type { buildConnector, Dispatcher, Pool as PoolType } from 'undici'
import request from 'undici/lib/api/api-request.js'
import connectorWith from 'undici/lib/core/connect.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import type { Connection, TlsMaterial } from '../connection/connection.ts'
import { KubeError } from './errors.ts'
import { markUnsent } from './faults.ts'
import type { Timeouts } from './kube-client.ts'

/** Each lane has its own connections, so that urgent calls never wait behind others. */
export type Lane = 'call' | 'urgent' | 'watch'

export type Outgoing = Readonly<{
  lane: Lane
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the server's address. */
  path: string
  headers: Readonly<Record<string, string>>
  body: string | null
  signal: AbortSignal
  /** Bytes of the answer to read ahead of its reader. */
  highWaterMark?: number
}>

export type Connections = ReturnType<typeof createConnections>

const CONNECTIONS_MAX: Readonly<Record<Lane, number>> = { call: 16, urgent: 4, watch: 256 }
/** Less than the API server's 90 s, so that it never closes a connection while we write to it. */
const KEEP_ALIVE_MS = 30_000
/** A full page of the largest objects that etcd stores (1.5 MiB each). */
const ANSWER_BYTES_MAX = 192 * 1024 * 1024
const UNLIMITED = -1

type Lanes = Readonly<Record<Lane, PoolType>>

/** Pooled TLS connections. New certificates open new pools; calls under way may finish. */
export function createConnections(connection: Connection, timeouts: Timeouts) {
  const { origin, pathname } = new URL(connection.server)
  const base = pathname.replace(/\/$/, '')
  const open = new Set<PoolType>()
  let using: { tls: TlsMaterial; lanes: Lanes } | undefined
  let isClosed = false

  function openPool(lane: Lane, tls: TlsMaterial): PoolType {
    const pool = new Pool(origin, {
      connections: CONNECTIONS_MAX[lane],
      connect: connector(tls, timeouts),
      // HTTP/2 costs twice the CPU, and the server would choose it.
      allowH2: false,
      headersTimeout: timeouts.headersMs,
      bodyTimeout: lane === 'watch' ? timeouts.watchSilenceMs : timeouts.bodyMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: lane === 'watch' ? UNLIMITED : ANSWER_BYTES_MAX,
    })
    open.add(pool)
    return pool
  }

  function lanesFor(tls: TlsMaterial): Lanes {
    if (using?.tls === tls) return using.lanes
    if (using) for (const pool of Object.values(using.lanes)) retire(pool)
    const lanes = {
      call: openPool('call', tls),
      urgent: openPool('urgent', tls),
      watch: openPool('watch', tls),
    }
    using = { tls, lanes }
    return lanes
  }

  function retire(pool: PoolType): void {
    const drop = () => open.delete(pool)
    pool.close().then(drop, drop)
  }

  return {
    async send(outgoing: Outgoing): Promise<Dispatcher.ResponseData> {
      const { lane, path, headers, ...rest } = outgoing
      const credentials = await connection.credentials()
      if (isClosed) throw closed()
      return request.call(lanesFor(credentials.tls)[lane], {
        ...rest,
        path: base + path,
        headers: { ...headers, ...credentials.headers },
      })
    },
    async close(): Promise<void> {
      isClosed = true
      await Promise.all([...open].map((pool) => pool.destroy(closed())))
    },
  }
}

function closed(): KubeError {
  return new KubeError('This client of the API server has been closed.', { reason: 'Closed' })
}

/** undici's connector; errors from here are marked as failed before anything was sent. */
function connector(tls: TlsMaterial, timeouts: Timeouts): buildConnector.connector {
  const connect = connectorWith({ ...tls, timeout: timeouts.connectMs, allowH2: false })
  return (options, callback) => {
    connect(options, (...outcome) => {
      if (outcome[0]) markUnsent(outcome[0])
      callback(...outcome)
    })
  }
}
