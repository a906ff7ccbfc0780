import { createLedger, type Reservation } from '@bourse/domain/ledger'
import { defaultPolicy, type Ranking } from '@bourse/domain/placement'
import type { Resources } from '@bourse/domain/quantity'
import { createMemoryJournal } from '../../../apps/broker/fixtures/store/memory/memory-journal.ts'
import { createAuditor } from '../../../apps/broker/src/after-commit/auditor.ts'
import {
  createDashboardServer,
  createRecentRefusals,
} from '../../../apps/broker/src/dashboard/index.ts'
import { createLedgerWriter } from '../../../apps/broker/src/ledger/writer/ledger-writer.ts'
import { NO_HEAD } from '../../../apps/broker/src/store/codec/batch.ts'
import type { DecisionRecord } from '../../../apps/broker/src/store/port/history.ts'
import { CITIES, type City, gib, SILENT_CITY, toAdvertise } from './cities.ts'

const MINUTE = 60_000
const settings = {
  policy: defaultPolicy,
  currency: 'USD',
  staleAfterMs: 10 * MINUTE,
  drainTimeoutMs: 2 * MINUTE,
  reclaimAfterMs: 24 * 60 * MINUTE,
}

type Wish = Readonly<{
  requester: string
  wanted: Resources
  durationMs?: number
  oneNode?: true
}>

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
      const { id, requester, wanted, oneNode } = event.reservation
      const request = { requester, wanted, ...(oneNode && { oneNode }) }
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

  async function reserve({ durationMs, ...wish }: Wish): Promise<Reservation | undefined> {
    const ranking = await writer.read((view) => view.evaluate(wish))
    const { outcome, index } = await writer.submit({
      kind: 'reserve',
      door: 'rest',
      ...wish,
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
