import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditReport } from '@bourse/contract'
import type { TestBroker } from '@bourse/testkit'
import { cpuMsOf, peakRssMbOf, rssMbOf } from '@bourse/testkit/process-usage'
import type { Identity } from '../../bench/harness/certificates.ts'
import { type OverloadReport, type Spell, startCrowd, startOverload } from './crowd.ts'
import { type Probe, recoveryOf, startProbes } from './probes.ts'

export type LoadScale = Readonly<{
  clusters: number
  requesters: number
  reservationsPerSecond: number
  heartbeatMs: number
  spells: number
  spellMs: number
  /** Callers share the connections; so many requests are under way on each of them. */
  overload: Readonly<{
    callers: number
    connections: number
    depth: number
    burstMs: number
    burstMaxMs: number
  }>
  /** How long to look for the recovery. */
  timeoutMs: number
}>

export type LoadOutcome = Readonly<{
  spells: readonly WatchedSpell[]
  overload: OverloadReport
  probes: readonly Probe[]
  /** From the end of the burst until a polite caller is served as before it. */
  recoveredMs: number
  rssMb: Readonly<{ before: number; peak: number; after: number }>
  audit: AuditReport
}>

/** With what the broker had and took meanwhile. */
export type WatchedSpell = Spell & Readonly<{ rssMb: number; corePercent: number }>

const MOMENT_MS = 2_000

/** A federation at its daily work, then far too much of it at once, and what becomes of a broker. */
export async function runLoad(
  broker: TestBroker,
  scale: LoadScale,
  told: (spell: WatchedSpell) => void = () => {},
): Promise<LoadOutcome> {
  const port = Number(new URL(broker.url).port)
  const clusters = await identitiesOf(broker, 'cluster', scale.clusters)
  const requesters = await identitiesOf(broker, 'requester', scale.requesters)
  const crowd = await startCrowd({ ...scale, port, clusters, requesters })
  await crowd.report()
  const spells: WatchedSpell[] = []
  for (let nth = 0; nth < scale.spells; nth++) {
    const cpuBeforeMs = cpuMsOf(broker.pid)
    await sleep(scale.spellMs)
    const seen = await crowd.report()
    const corePercent = (cpuMsOf(broker.pid) - cpuBeforeMs) / (10 * seen.seconds)
    const spell = { ...seen, rssMb: rssMbOf(broker.pid), corePercent }
    spells.push(spell)
    told(spell)
  }
  const { before, ...burst } = await overload(broker, scale)
  crowd.stop()
  const operator = await broker.aRawOperator()
  // The operator's own question; the schema is the contract's.
  const audit = (await operator.get('/api/v1/audit')).json as AuditReport
  operator.close()
  const rssMb = { before, peak: peakRssMbOf(broker.pid), after: rssMbOf(broker.pid) }
  return { spells, ...burst, rssMb, audit }
}

async function overload(broker: TestBroker, { overload, timeoutMs }: LoadScale) {
  const port = Number(new URL(broker.url).port)
  const [polite] = await identitiesOf(broker, 'polite', 1)
  if (!polite) throw new Error('There is no polite cluster.')
  const callers = await identitiesOf(broker, 'greedy', overload.callers)
  const identities = Array.from(
    { length: Math.ceil(overload.connections / overload.callers) },
    () => callers,
  ).flat()
  const greedy = await startOverload({ ...overload, port, identities })
  const probes = await startProbes(port, polite)
  await sleep(MOMENT_MS)
  // Connections that say nothing yet have their price, too.
  const before = rssMbOf(broker.pid)
  const burstAt = performance.now()
  const report = await greedy.run()
  const endedAt = performance.now()
  const recovery = () => recoveryOf(probes.seen(), { burstAt, endedAt })
  while (recovery() === undefined && performance.now() - endedAt < timeoutMs) await sleep(100)
  greedy.stop()
  probes.stop()
  const recoveredMs = recovery() ?? Number.POSITIVE_INFINITY
  return { before, overload: report, probes: probes.seen(), recoveredMs }
}

async function identitiesOf(
  { certificates }: TestBroker,
  prefix: string,
  count: number,
): Promise<Identity[]> {
  const identities: Identity[] = []
  for (let number = 0; number < count; number++) {
    const clusterId = `${prefix}-${number}`
    identities.push({ clusterId, directory: await certificates.forCluster(clusterId) })
  }
  return identities
}
