import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHttpBroker, type RetryPolicy } from '@bourse/client'
import { anAdvertisement, aRequest } from '../builders.ts'
import { makeTestCertificates } from '../certificates/certificates.ts'
import { prepareBroker, type TestBroker } from '../processes/broker-process.ts'
import { isUp } from '../processes/probe.ts'
import type { RawCaller, RawReply, RawRequest } from '../processes/raw-caller.ts'
import { eventually } from '../time/eventually.ts'

/** The default; a benchmark says that a leader is followed within one and a half of it. */
export const LEASE_MS = 5_000
const READY_WITHIN_MS = 120_000
/** A frozen broker answers nothing; a busy one may take its time. */
const ANSWER_WITHIN_MS = 4_000

export type Several = Awaited<ReturnType<typeof startBrokers>>

/** Flags of one broker alone, such as a port. */
export type OwnFlags = (at: number) => readonly string[]

/** Brokers of one ledger, all launched, and one of them leading. */
export async function startBrokers(
  count: number,
  flags: readonly string[],
  own: OwnFlags = () => [],
) {
  const certificates = await makeTestCertificates()
  const prepare = (at: number) =>
    prepareBroker({ certificates, flags: [...flags, '--leader-elect', ...own(at)] })
  const brokers = await Promise.all(Array.from({ length: count }, (_, at) => prepare(at)))
  for (const broker of brokers) broker.launch()
  await Promise.all(brokers.map((broker) => broker.ready(READY_WITHIN_MS)))
  await leaderOf(brokers)

  return {
    brokers,
    certificates,
    leader: () => leaderOf(brokers),
    /** A client that knows all of them, and not which one leads. */
    aClient: async (clusterId: string, retry: Partial<RetryPolicy> = {}) =>
      createHttpBroker({
        retry,
        url: brokers.map(({ url }) => url).join(','),
        certPath: await certificates.forCluster(clusterId),
      }),
    async relaunch(broker: TestBroker) {
      broker.launch()
      await broker.ready(READY_WITHIN_MS)
    },
    async stop() {
      for (const broker of brokers) await broker.dispose()
      certificates.dispose()
    },
  }
}

async function leaderOf(brokers: readonly TestBroker[]): Promise<TestBroker> {
  return eventually(
    'A broker leads',
    async () => {
      for (const broker of brokers) if (await leads(broker)) return broker
      return undefined
    },
    READY_WITHIN_MS,
  )
}

export function leads({ healthUrl }: TestBroker): Promise<boolean> {
  return isUp(`${healthUrl}/leaderz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
}

export type Acknowledged = Readonly<{ id: string; requestId: string; at: number }>

type LoadOptions = Readonly<{
  /** What a caller keeps; above it, and when nothing fits, it releases its oldest. */
  liveMax?: number
}>

/** Callers that ask one broker after another, with the same request id, until one answers. */
export async function startLoad(
  brokers: readonly TestBroker[],
  callers: number,
  { liveMax = Number.POSITIVE_INFINITY }: LoadOptions = {},
) {
  const acknowledged: Acknowledged[] = []
  const released = new Set<string>()
  const contradictions: string[] = []
  let isOver = false
  let giveUpAt = Number.POSITIVE_INFINITY
  const rome = await Promise.all(brokers.map((broker) => broker.aRawCaller('rome')))
  const running = Promise.all(Array.from({ length: callers }, run))

  return {
    acknowledged,
    released,
    contradictions,
    /** When the first answer came that was asked for after a moment. */
    nextSuccessAfter: (moment: number) =>
      eventually(
        'A reservation is acknowledged',
        () => acknowledged.find(({ at }) => at > moment)?.at,
        READY_WITHIN_MS,
      ),
    async stop() {
      isOver = true
      giveUpAt = performance.now() + READY_WITHIN_MS
      await running
    },
  }

  async function run(): Promise<void> {
    const live: string[] = []
    while (!isOver) {
      const requestId = randomUUID()
      const body = aRequest({ cpu: '1', memory: '1Mi' }, { requestId })
      const reply = await persist({ method: 'POST', path: '/api/v1/reservations', body })
      if (!reply) return
      if (reply.status <= 201) {
        acknowledged.push({ id: reply.json.id, requestId, at: performance.now() })
        live.push(reply.json.id)
      } else if (reply.json?.code !== 'NoClusterFits' || liveMax === Number.POSITIVE_INFINITY)
        contradictions.push(`${reply.status} ${reply.text}`)
      const isFull = reply.status > 201 || live.length > liveMax
      const oldest = isFull ? live.shift() : undefined
      if (oldest !== undefined) await release(oldest)
      await sleep(10)
    }
  }

  async function release(id: string): Promise<void> {
    const reply = await persist({ method: 'DELETE', path: `/api/v1/reservations/${id}` })
    if (reply?.status === 200) released.add(id)
    else contradictions.push(`the release of ${id} was answered ${reply?.status} ${reply?.text}`)
  }

  /** Also when the load is over: a request without an answer may have been granted. */
  async function persist(asked: RawRequest): Promise<RawReply | undefined> {
    for (let attempt = 0; performance.now() < giveUpAt; attempt++) {
      const caller = rome[attempt % rome.length]
      const reply = await within(caller?.send(asked), ANSWER_WITHIN_MS)
      if (reply && reply.status < 500) return reply
      await sleep(20)
    }
    return undefined
  }
}

/** A frozen broker takes connections and answers nothing. */
async function within<T>(asked: Promise<T> | undefined, ms: number): Promise<T | undefined> {
  const late = sleep(ms).then(() => undefined)
  return Promise.race([asked?.catch(() => undefined), late])
}

export async function advertiseParis(broker: TestBroker, cpu: string): Promise<void> {
  const paris = await broker.aRawCaller('paris')
  await paris.post('/api/v1/advertisements', anAdvertisement('paris', { cpu, memory: '1Ti' }))
}

/** What differs between the broker's ledger and what was acknowledged, in words. */
export async function differences(
  operator: RawCaller,
  all: readonly Acknowledged[],
  released: ReadonlySet<string> = new Set(),
) {
  const acknowledged = all.filter(({ id }) => !released.has(id))
  const told = await everyReservation(operator)
  const ids = new Set(told.map(({ id }) => id))
  const requestIds = told.map(({ requestId }) => requestId)
  const { json: paris } = await operator.get('/api/v1/advertisements/paris')
  const reserved = Number(paris.resources.reserved?.cpu ?? 0)
  return [
    ...acknowledged.filter(({ id }) => !ids.has(id)).map(({ id }) => `${id} is lost`),
    ...[...released].filter((id) => ids.has(id)).map((id) => `${id} came back`),
    ...(told.length === acknowledged.length
      ? []
      : [`${acknowledged.length} acknowledged, ${told.length} told`]),
    ...(new Set(requestIds).size < requestIds.length ? ['a request was granted twice'] : []),
    ...(reserved === told.length ? [] : [`${told.length} grants of 1 cpu, ${reserved} reserved`]),
  ]
}

/** Those that are live, from page to page. */
export async function everyReservation(operator: RawCaller) {
  const all: { id: string; requestId: string }[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { json } = await operator.get(
      `/api/v1/reservations?limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    all.push(...(Array.isArray(json) ? json : json.items))
    cursor = json.nextCursor
  }
  return all
}
