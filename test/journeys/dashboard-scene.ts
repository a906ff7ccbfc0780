import { type Command, createLedger, type Reservation } from '@bourse/domain/ledger'
import { defaultPolicy, type Ranking } from '@bourse/domain/placement'
import type { Resources } from '@bourse/domain/quantity'
import { createMemoryJournal } from '../../apps/broker/fixtures/store/memory/memory-journal.ts'
import { createAuditor } from '../../apps/broker/src/after-commit/auditor.ts'
import {
  createDashboardServer,
  createRecentRefusals,
} from '../../apps/broker/src/dashboard/index.ts'
import { createLedgerWriter } from '../../apps/broker/src/ledger/writer/ledger-writer.ts'
import { NO_HEAD } from '../../apps/broker/src/store/codec/batch.ts'
import type { DecisionRecord } from '../../apps/broker/src/store/port/history.ts'

const GIB = 1024n ** 3n
const MINUTE = 60_000
const settings = {
  policy: defaultPolicy,
  currency: 'USD',
  staleAfterMs: 10 * MINUTE,
  drainTimeoutMs: 2 * MINUTE,
  reclaimAfterMs: 24 * 60 * MINUTE,
}

type City = Readonly<{
  id: string
  location: string
  cpu: number
  memory: number
  gpu?: number
  /** Share of cpu and memory that its own pods take. */
  load: number
  price: number
  gpuPrice?: number
}>

export const OSLO: City = {
  id: 'oslo',
  location: 'eu-north',
  cpu: 128,
  memory: 512,
  gpu: 16,
  load: 0.22,
  price: 0.026,
  gpuPrice: 1.7,
}
const CITIES: readonly City[] = [
  {
    id: 'paris',
    location: 'eu-west',
    cpu: 64,
    memory: 256,
    gpu: 8,
    load: 0.38,
    price: 0.031,
    gpuPrice: 2.1,
  },
  {
    id: 'berlin',
    location: 'eu-central',
    cpu: 96,
    memory: 384,
    gpu: 4,
    load: 0.52,
    price: 0.029,
    gpuPrice: 2.4,
  },
  { id: 'madrid', location: 'eu-south', cpu: 32, memory: 128, load: 0.3, price: 0.024 },
  {
    id: 'milan',
    location: 'eu-south',
    cpu: 48,
    memory: 192,
    gpu: 2,
    load: 0.44,
    price: 0.027,
    gpuPrice: 1.9,
  },
  OSLO,
  { id: 'turin', location: 'eu-south', cpu: 16, memory: 64, load: 0.1, price: 0.022 },
  { id: 'warsaw', location: 'eu-east', cpu: 40, memory: 160, load: 0.61, price: 0.019 },
]
const SILENT_CITY: City = {
  id: 'dublin',
  location: 'eu-west',
  cpu: 24,
  memory: 96,
  load: 0.25,
  price: 0.033,
}

function toAdvertise(city: City, used: Readonly<Record<string, Resources>> = {}): Command {
  const { id, cpu, memory, gpu, load, price, gpuPrice } = city
  const supply = {
    cpu: BigInt(cpu) * 1_000n,
    memory: BigInt(memory) * GIB,
    ...(gpu && { 'nvidia.com/gpu': BigInt(gpu) }),
  }
  const ownPods = {
    cpu: cpuMilli(cpu * load),
    memory: gib(memory * load),
    ...(gpu && { 'nvidia.com/gpu': BigInt(Math.floor(gpu * load)) }),
  }
  return {
    kind: 'advertise',
    door: 'rest',
    clusterId: id,
    advertisement: {
      clusterName: id,
      location: city.location,
      capacity: supply,
      allocatable: supply,
      allocated: Object.values(used).reduce(plus, ownPods),
      used,
      cost: {
        cpu: billionths(price),
        memory: billionths(price / 8),
        ...(gpuPrice && { gpu: billionths(gpuPrice) }),
        currency: 'USD',
      },
    },
  }
}

const cpuMilli = (cores: number) => BigInt(Math.round(cores * 1_000))
export const gib = (amount: number) => BigInt(Math.round(amount * 1024)) * 1024n ** 2n
const billionths = (amount: number) => BigInt(Math.round(amount * 1e9))

function plus(sum: Record<string, bigint>, more: Resources): Record<string, bigint> {
  const names = new Set([...Object.keys(sum), ...Object.keys(more)])
  return Object.fromEntries(
    [...names].map((name) => [name, (sum[name] ?? 0n) + (more[name] ?? 0n)]),
  )
}

type Wish = Readonly<{ requester: string; wanted: Resources; durationMs?: number }>

/** A real ledger, writer, auditor and page server; the clock can be moved on. */
export async function openScene({ token }: { token?: string } = {}) {
  let aheadMs = -11 * MINUTE
  const now = () => Date.now() + aheadMs
  const ledger = createLedger(settings)
  const writer = createLedgerWriter({
    ledger,
    journal: createMemoryJournal(),
    head: NO_HEAD,
    writerId: 'scene',
    now,
    recall: () => undefined,
    crash: (cause) => {
      throw cause
    },
    meters: { decided() {}, committed() {}, unsettled() {} },
    pressure: () => undefined,
  })
  ledger.apply({ kind: 'founded', at: now(), ledgerId: '7c41e9d2-5b0a-4f6e-9a51' })
  const refusals = createRecentRefusals('USD')
  const records = new Map<string, DecisionRecord>()
  const tables = new Map<string, Ranking>()
  writer.subscribe(({ index, events }) => {
    for (const event of events) {
      if (event.kind !== 'reserved') continue
      const { id, requester, wanted } = event.reservation
      const request = { requester, wanted }
      records.set(id, { reservationId: id, index, at: event.at, request, decision: event.decision })
    }
  })
  const auditor = createAuditor({ writer, now, found() {} })
  await auditor.start()
  const dashboard = await createDashboardServer({
    address: { host: '127.0.0.1', port: 0 },
    ...(token !== undefined && { token }),
    writer,
    refusals,
    currency: 'USD',
    history: { ended: async () => undefined },
    decisionOf: async ({ id }) => records.get(id),
    explainAt: async ({ reservationId }) => tables.get(reservationId),
    audit: auditor.report,
    now,
    onFault(cause) {
      throw cause
    },
  })

  async function reserve({
    requester,
    wanted,
    durationMs,
  }: Wish): Promise<Reservation | undefined> {
    const ranking = await writer.read((view) => view.evaluate({ requester, wanted }))
    const { outcome, index } = await writer.submit({
      kind: 'reserve',
      door: 'rest',
      requester,
      wanted,
      priority: 0,
      ...(durationMs && { durationMs }),
    })
    if (outcome.kind === 'refused') refusals.record({ ranking: outcome.ranking, at: now(), index })
    if (outcome.kind !== 'reserved') return undefined
    tables.set(outcome.reservation.id, ranking)
    return outcome.reservation
  }

  return {
    url: await dashboard.listen(),
    writer,
    reserve,
    audit: auditor.run,
    advertise: (city: City, used?: Record<string, Resources>) =>
      writer.submit(toAdvertise(city, used)),
    moveClock: (byMs: number) => {
      aheadMs += byMs
    },
    async close() {
      auditor.stop()
      await dashboard.close()
      await writer.close()
    },
  }
}

export type Scene = Awaited<ReturnType<typeof openScene>>

/** A morning at the exchange: one cluster silent, one cordoned, work everywhere. */
export async function playMorning(scene: Scene): Promise<void> {
  await scene.advertise(SILENT_CITY)
  scene.moveClock(11 * MINUTE - 40_000)
  for (const city of CITIES) await scene.advertise(city)
  await scene.writer.submit({ kind: 'tick' })
  const wishes: readonly Wish[] = [
    { requester: 'rome', wanted: { cpu: 8_000n, memory: gib(32) }, durationMs: 4 * 60 * MINUTE },
    {
      requester: 'lyon',
      wanted: { cpu: 4_000n, memory: gib(16), 'nvidia.com/gpu': 2n },
      durationMs: 90 * MINUTE,
    },
    { requester: 'vienna', wanted: { cpu: 12_000n, memory: gib(48) } },
    {
      requester: 'rome',
      wanted: { cpu: 2_000n, memory: gib(8), 'nvidia.com/gpu': 4n },
      durationMs: 26 * 60 * MINUTE,
    },
    { requester: 'prague', wanted: { cpu: 500n, memory: gib(0.5) }, durationMs: 3 * MINUTE },
    { requester: 'lisbon', wanted: { cpu: 16_000n, memory: gib(64) }, durationMs: 8 * 60 * MINUTE },
  ]
  const made: Reservation[] = []
  for (const wish of wishes) {
    scene.moveClock(5_000)
    const reservation = await scene.reserve(wish)
    if (reservation) made.push(reservation)
  }
  await useSome(scene, made)
  await scene.reserve({
    requester: 'ghent',
    wanted: { cpu: 200_000n, memory: gib(64), 'nvidia.com/gpu': 1n },
  })
  await scene.writer.submit({ kind: 'cordon', clusterId: 'berlin' })
  scene.moveClock(4_000)
  for (let n = 0; n < 4; n++) {
    await scene.reserve({
      requester: ['nice', 'graz', 'porto', 'basel'][n] ?? 'nice',
      wanted: { cpu: BigInt(1_500 + 500 * n), memory: gib(4 + n) },
      durationMs: (20 + 17 * n) * MINUTE,
    })
    scene.moveClock(1_500)
  }
  await scene.audit()
}

/** The requesters confirm, and the providers measure pods that run for them. */
async function useSome(scene: Scene, made: readonly Reservation[]): Promise<void> {
  for (const { id } of made.slice(0, 3)) await scene.writer.submit({ kind: 'activate', id })
  for (const city of CITIES) {
    const mine = made
      .slice(0, 3)
      .filter(({ legs }) => legs.some((leg) => leg.clusterId === city.id))
    const used = mine.map(
      ({ id, wanted }) => [id, { ...wanted, cpu: (wanted.cpu ?? 0n) / 2n }] as const,
    )
    await scene.advertise(city, Object.fromEntries(used))
  }
  const [, , , , short] = made
  if (short) await scene.writer.submit({ kind: 'release', id: short.id })
}
