import { createLedger, hiddenFrom } from '@bourse/domain/ledger'
import { defaultPolicy } from '@bourse/domain/placement'
import fastify, { type FastifyRequest, type InjectOptions } from 'fastify'
import pino from 'pino'
import { createFairShare, type Rate } from '../../fair-share/index.ts'
import type { Admission } from '../../intake/admission.ts'
import { createLedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { NO_HEAD } from '../../store/codec/batch.ts'
import { createHistoryKeeper } from '../../store/history/history-keeper.ts'
import { createRequestMemory } from '../../store/history/request-memory.ts'
import { createMemoryHistory } from '../../store/memory/memory-history.fixture.ts'
import { createMemoryJournal } from '../../store/memory/memory-journal.fixture.ts'
import { createProbing } from '../callers/probing.ts'
import { serverOptions } from '../requests/http-limits.ts'
import { type ApiPorts, type ApiSettings, createApi } from './create-api.ts'

export const LEDGER_ID = 'test-ledger'
export const PROOF = '0.0000000000000000.AAAAAAAAAAAAAAAAAAAAAA'
const START = Date.parse('2026-11-01T12:00:00Z')

export type Reply = Readonly<{
  status: number
  // Bodies are checked by what tests expect of them; typing each would repeat the contract.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
  headers: Readonly<Record<string, string | string[] | number | undefined>>
}>

export const settings: ApiSettings = {
  ledgerId: LEDGER_ID,
  term: 'term-1',
  version: '0.0.0',
  currency: 'USD',
  maxDurationMs: 30 * 86_400_000,
}

/** The ports of the API over a real ledger on a journal in memory. */
export async function apiPorts(overrides: Partial<ApiPorts> = {}) {
  const clock = { at: START }
  const { writer, history, keepHistory } = aLedger(() => clock.at)
  // Where a test has a history of its own, memory keeps what that was never told of.
  if (!overrides.history) keepHistory()
  const lines: string[] = []
  const heard: string[] = []
  const admission: { current: Admission } = { current: { deny: new Set() } }
  const ports: ApiPorts = {
    writer,
    history,
    explainAt: (record, reader) =>
      writer.read((view) =>
        view.evaluate(record.request, reader === undefined ? undefined : hiddenFrom(reader, view)),
      ),
    audit: async () => ({
      state: 'consistent',
      index: 7,
      at: START,
      clusters: 2,
      reservations: 1,
      findings: [],
    }),
    admission: () => admission.current,
    share: createFairShare({}, () => performance.now()),
    probing: createProbing(() => clock.at),
    now: () => clock.at,
    rollback: { proof: () => PROOF, judge: () => 'fine' },
    heard: (clusterId) => heard.push(clusterId),
    log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
    ...overrides,
  }
  return { ports, writer, clock, lines, heard, admission }
}

/** By the wall clock, as the broker limits it. */
export const aRate = (rate: Rate) => ({
  share: createFairShare({ rate }, () => performance.now()),
})

/** The API without sockets: the caller is named by a header, as `rome` or `operator…`. */
export async function anApi(given: Partial<ApiPorts> = {}, changed: Partial<ApiSettings> = {}) {
  const parts = await apiPorts(given)
  const server = fastify(serverOptions)
  const api = await createApi(server, parts.ports, {
    settings: { ...settings, ...changed },
    identify,
    isLast: () => false,
  })
  await server.ready()

  async function call(as: string, options: InjectOptions): Promise<Reply> {
    const headers = { ...options.headers, 'x-caller': as }
    const { url = '' } = options
    const reply = await server.inject({ ...options, url: `/api/v1${url}`, headers })
    const isJson = String(reply.headers['content-type'] ?? '').includes('json')
    const body = isJson ? reply.json() : reply.body
    return { status: reply.statusCode, body, headers: reply.headers }
  }
  const get = (as: string, url: string) => call(as, { method: 'GET', url })
  const remove = (as: string, url: string) => call(as, { method: 'DELETE', url })
  const post = (as: string, url: string, payload?: object) =>
    call(as, { method: 'POST', url, ...(payload && { payload }) })
  const put = (as: string, url: string, payload: object) =>
    call(as, { method: 'PUT', url, payload })
  const advertise = (clusterId: string, more: object = {}) =>
    post(clusterId, '/advertisements', advertisement(clusterId, more))

  return { ...parts, server, api, call, get, post, put, remove, advertise }
}

function identify(request: FastifyRequest) {
  const id = String(request.headers['x-caller'])
  return { id, isOperator: id.startsWith('operator') }
}

/** 10 cores and 16 GiB, of which nothing is taken; as an agent of the Go original writes it. */
export function advertisement(clusterID: string, more: object = {}) {
  return {
    clusterID,
    clusterName: `${clusterID} one`,
    resources: {
      capacity: { cpu: '10', memory: '16Gi' },
      allocatable: { cpu: '10', memory: '16Gi' },
      allocated: { cpu: '0', memory: '0' },
      available: { cpu: '10', memory: '16Gi' },
    },
    timestamp: '2026-11-01T12:00:00Z',
    ...more,
  }
}

/** A ledger on a journal in memory, whose past goes to a history in memory, as it goes to disk. */
function aLedger(now: () => number) {
  const limits = { staleAfterMs: 600_000, drainTimeoutMs: 120_000, reclaimAfterMs: 86_400_000 }
  const history = createMemoryHistory()
  const { recall, note } = createRequestMemory(history)
  const crash = (cause: Error) => {
    throw cause
  }
  const writer = createLedgerWriter({
    ledger: createLedger({ policy: defaultPolicy, currency: 'USD', ...limits }),
    journal: createMemoryJournal(),
    head: NO_HEAD,
    writerId: 'test',
    pressure: () => undefined,
    meters: { decided() {}, committed() {}, unsettled() {} },
    now,
    recall,
    crash,
  })
  const keeper = createHistoryKeeper({
    history,
    note,
    recordedThrough: 0,
    forget: (batch) => writer.betweenCommits((ledger) => ledger.forget(batch)),
  })
  return { writer, keepHistory, history: { ...history, decision: keeper.decision } }

  function keepHistory(): void {
    writer.subscribe((committed) => {
      keeper.take(committed)
      // Not a second later: what has ended is soon found where it stays.
      void keeper.flush()
    })
  }
}
