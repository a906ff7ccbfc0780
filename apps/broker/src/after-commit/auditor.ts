import type { Ledger, LedgerEvent, LedgerImage, Reservation } from '@bourse/domain/ledger'
import { holdsNow } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import { amountOf, readablePair } from '@bourse/domain/quantity'
import type { Logger } from 'pino'
import type { Committed, LedgerWriter } from '../ledger/writer/ledger-writer.ts'
import { createPeeringAudit } from './audit-peerings.ts'

export type AuditReport = Readonly<{
  state: 'starting' | 'consistent' | 'inconsistent'
  /** The journal index at which the sums were compared. */
  index: number
  at: number
  clusters: number
  reservations: number
  /** What does not add up, a sentence each. */
  findings: readonly string[]
}>

type Totals = Map<string, Map<string, bigint>>
type Ports = Readonly<{
  writer: LedgerWriter
  now(): number
  /** What is wrong even if all sums agree: a store that is an older copy. */
  trouble?(): string | undefined
  found(report: AuditReport): void
}>

const AUDIT_EVERY_MS = 30_000
const FINDINGS_MAX = 20
/** How many reservations are recounted before other work gets its turn. */
const SLICE = 5_000

/**
 * Keeps its own totals from the events alone, and compares them with the ledger's: events, a
 * recount of every reservation, and the running sums that decisions rest on must all agree.
 */
export function createAuditor({ writer, now, trouble = () => undefined, found }: Ports) {
  const sold: Totals = new Map()
  const nothing = { index: 0, clusters: 0, reservations: 0, findings: [] }
  let report: AuditReport = { state: 'starting', at: now(), ...nothing }
  let opening: Promise<void> | undefined
  let running: Promise<AuditReport> | undefined
  let timer: NodeJS.Timeout | undefined
  let unsubscribe = () => {}

  return { start, stop, run, report: () => report }

  /** Takes the state after replay as its opening balance; from then on only events count. */
  async function start(): Promise<void> {
    const image = await writer.betweenCommits((ledger) => {
      unsubscribe = writer.subscribe(follow)
      return ledger.capture()
    })
    // Added up beside the first requests: sums do not mind the order, and a million take a second.
    opening = addUp(image)
    timer = setInterval(runQuietly, AUDIT_EVERY_MS).unref()
    setImmediate(runQuietly)
  }

  /** If nothing can be read now, the writer says why, and the next round tries again. */
  function runQuietly(): void {
    const done = () => {}
    run().then(done, done)
  }

  function stop(): void {
    clearInterval(timer)
    unsubscribe()
  }

  async function addUp(image: LedgerImage): Promise<void> {
    let counted = 0
    for (const reservation of holding(image)) {
      post(sold, reservation, 1n)
      if (++counted % SLICE === 0) await new Promise(setImmediate)
    }
  }

  function follow({ events }: Committed): void {
    for (const event of events) postEvent(sold, event)
  }

  /** One audit at a time: a second caller gets the same report. */
  function run(): Promise<AuditReport> {
    running ??= audit().finally(() => {
      running = undefined
    })
    return running
  }

  async function audit(): Promise<AuditReport> {
    await opening
    const taken = await writer.betweenCommits((ledger, { index }) => ({
      index,
      image: ledger.capture(),
      sold: copyOf(sold),
      reserved: reservedOf(ledger),
    }))
    const counted = await recount(taken.image)
    const known = trouble()
    const findings = [
      ...(known === undefined ? [] : [known]),
      ...differences(taken.sold, counted.sold, 'the events add up to'),
      ...differences(taken.reserved, counted.held, 'the running sum is'),
      ...counted.peerings.findings(),
    ].slice(0, FINDINGS_MAX)
    report = {
      state: findings.length === 0 ? 'consistent' : 'inconsistent',
      index: taken.index,
      at: now(),
      clusters: taken.image.clusters.length,
      reservations: counted.reservations,
      findings,
    }
    found(report)
    return report
  }
}

function postEvent(totals: Totals, event: LedgerEvent): void {
  if (event.kind === 'reserved' && holdsNow(event.reservation.phase))
    post(totals, event.reservation, 1n)
  if (event.kind === 'released' && !event.draining && !event.waited)
    post(totals, event.reservation, -1n)
  if (event.kind === 'drained') post(totals, event.reservation, -1n, event.clusterId)
}

function post(totals: Totals, { legs }: Reservation, sign: 1n | -1n, only?: string): void {
  for (const leg of legs) if (only === undefined || only === leg.clusterId) addTo(totals, leg, sign)
}

type Leg = Readonly<{ clusterId: string; resources: Resources }>

function addTo(totals: Totals, { clusterId, resources }: Leg, sign: 1n | -1n = 1n): void {
  const total = totals.get(clusterId) ?? new Map<string, bigint>()
  totals.set(clusterId, total)
  for (const name in resources)
    total.set(name, (total.get(name) ?? 0n) + sign * amountOf(resources, name))
}

function copyOf(totals: Totals): Totals {
  return new Map(Array.from(totals, ([clusterId, total]) => [clusterId, new Map(total)]))
}

function reservedOf(ledger: Ledger): Totals {
  const totals: Totals = new Map()
  for (const { clusterId } of ledger.clusters())
    addTo(totals, { clusterId, resources: ledger.standing(clusterId)?.reserved ?? {} })
  return totals
}

/** From the reservations themselves, in slices, since there may be a million of them. */
async function recount(image: LedgerImage) {
  const sold: Totals = new Map()
  const held: Totals = new Map()
  const used = new Map(
    image.clusters.map(({ cluster }) => [cluster.clusterId, cluster.advertisement.used]),
  )
  const peerings = createPeeringAudit(image)
  let reservations = 0
  for (const reservation of holding(image)) {
    post(sold, reservation, 1n)
    peerings.count(reservation)
    for (const { clusterId, resources } of reservation.legs) {
      const inUse = used.get(clusterId)?.[reservation.id] ?? {}
      addTo(held, { clusterId, resources: stillHeld(resources, inUse) })
    }
    reservations++
    if (reservations % SLICE === 0) await new Promise(setImmediate)
  }
  return { sold, held, peerings, reservations }
}

function* holding({ reservations, draining }: LedgerImage): Generator<Reservation> {
  const drainingIds = new Set(draining.map(({ id }) => id))
  for (const reservation of reservations)
    if (holdsNow(reservation.phase) || drainingIds.has(reservation.id)) yield reservation
}

/** Written again on purpose: an auditor that shares the ledger's arithmetic shares its mistakes. */
function stillHeld(reserved: Resources, used: Resources): Resources {
  const held: Record<string, bigint> = {}
  for (const name in reserved) {
    const left = amountOf(reserved, name) - amountOf(used, name)
    if (left > 0n) held[name] = left
  }
  return held
}

function* differences(claimed: Totals, counted: Totals, claim: string): Generator<string> {
  for (const clusterId of new Set([...claimed.keys(), ...counted.keys()])) {
    const one = claimed.get(clusterId)
    const other = counted.get(clusterId)
    for (const name of new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])) {
      const [said, seen] = [one?.get(name) ?? 0n, other?.get(name) ?? 0n]
      if (said === seen) continue
      const [told, found] = readablePair(name, said, seen)
      yield `${clusterId}: ${claim} ${told} ${name}, and a recount finds ${found}.`
    }
  }
}

/**
 * Logs findings in full. Probes and metrics only count them, because every client may read those.
 */
export function createAuditLog(log: Pick<Logger, 'error' | 'info'>) {
  let written = ''

  return function note({ index, findings }: AuditReport): void {
    const found = findings.join('\n')
    // The audit runs twice a minute, and an inconsistency rarely heals.
    if (found === written) return
    written = found
    if (found === '') log.info({ index }, 'the ledger is consistent again')
    else log.error({ index, findings }, 'the ledger is inconsistent')
  }
}
