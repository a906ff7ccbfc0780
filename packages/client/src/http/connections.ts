import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import { ClientClosed } from '../communicator/errors.ts'
import type { CertificateFiles, Certificates } from './certificate-files.ts'
import { createLeavablePool, type LeavablePool, type Pulse } from './leavable-pool.ts'

export type Timeouts = Readonly<{ connectMs: number; headersMs: number; bodyMs: number }>

/** Long polls and streams have their own connections, so that they never block other calls. */
export type Lane = 'short' | 'long' | 'stream'

export type Connections = ReturnType<typeof createConnections>

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000 }

const LANE_CONNECTIONS_MAX: Readonly<Record<Lane, number>> = { short: 4, long: 8, stream: 4 }
const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** A stream has no total limit; each event has one. */
const UNLIMITED = -1
const KEEP_ALIVE_MS = 30_000

/** Listed brokers, and leaders that were named. */
const ORIGINS_MAX = 8

type Way = Readonly<{ pool: Dispatcher; calls: LeavablePool }>
type Lanes = Readonly<Record<Lane, Way>>
type Ports = { files: CertificateFiles; timeouts: Timeouts }

/** Pooled mutual TLS. New certificate files open new connections; running calls may finish. */
export function createConnections({ files, timeouts }: Ports) {
  const open = new Set<Dispatcher>()
  const byOrigin = new Map<string, Lanes>()
  let using: Certificates | undefined
  let isClosed = false

  function connect(origin: string, certificates: Certificates): Lanes {
    const pulse: Pulse = { answers: 0, lost: () => leave(origin, lanes) }
    const lane = (kind: Lane): Way => {
      const pool = new Pool(origin, {
        connections: LANE_CONNECTIONS_MAX[kind],
        connect: { ...certificates, timeout: timeouts.connectMs },
        // HTTP/2 costs twice the CPU.
        allowH2: false,
        headersTimeout: timeouts.headersMs,
        bodyTimeout: timeouts.bodyMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        maxResponseSize: kind === 'stream' ? UNLIMITED : ANSWER_BYTES_MAX,
      })
      open.add(pool)
      const isForQuestions = kind !== 'short'
      return { pool, calls: createLeavablePool({ pool, origin, isForQuestions, pulse }) }
    }
    const lanes: Lanes = { short: lane('short'), long: lane('long'), stream: lane('stream') }
    return lanes
  }

  /** After a broker stopped answering: the next call opens new connections. */
  function leave(origin: string, lanes: Lanes): void {
    if (byOrigin.get(origin) === lanes) byOrigin.delete(origin)
    for (const { pool, calls } of Object.values(lanes)) drop(pool, calls.leave())
  }

  function retire(origin: string, lanes: Lanes): void {
    byOrigin.delete(origin)
    for (const { pool } of Object.values(lanes)) drop(pool, pool.close())
  }

  function drop(pool: Dispatcher, ended: Promise<void>): void {
    const forget = () => open.delete(pool)
    ended.then(forget, forget)
  }

  function lanesTo(origin: string, certificates: Certificates): Lanes {
    if (using !== certificates) for (const held of byOrigin) retire(...held)
    using = certificates
    const held = byOrigin.get(origin)
    if (held) return held
    const [oldest] = byOrigin
    if (oldest && byOrigin.size >= ORIGINS_MAX) retire(...oldest)
    const lanes = connect(origin, certificates)
    byOrigin.set(origin, lanes)
    return lanes
  }

  return {
    async dispatcher(origin: string, lane: Lane): Promise<Pick<Dispatcher, 'dispatch'>> {
      const certificates = await files.current()
      if (isClosed) throw new ClientClosed()
      return lanesTo(origin, certificates)[lane].calls
    },
    async close(): Promise<void> {
      isClosed = true
      await Promise.all([...open].map((pool) => pool.destroy()))
    },
  }
}
