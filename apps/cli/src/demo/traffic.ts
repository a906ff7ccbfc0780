import type { BrokerCommunicator } from '@bourse/client'
import type { ReservationRequest } from '@bourse/contract'
import type { Chance } from './chance.ts'
import { pause } from './simulated-cluster.ts'

type Ports = Readonly<{
  brokers: ReadonlyMap<string, BrokerCommunicator>
  chance: Chance
  signal: AbortSignal
  onTrouble(clusterId: string, error: Error): void
}>
type Request = Readonly<{ resources: ReservationRequest['requestedResources']; weight: number }>

const EVERY_MIN_MS = 3_000
const EVERY_MAX_MS = 9_000
const DURATIONS = ['45s', '90s', '2m', '4m', '10m']

/** Usual requests, and sometimes one that no cluster can hold. */
const requests: readonly Request[] = [
  { resources: { cpu: '2', memory: '4Gi' }, weight: 4 },
  { resources: { cpu: '8', memory: '32Gi' }, weight: 3 },
  { resources: { cpu: '500m', memory: '512Mi' }, weight: 2 },
  { resources: { cpu: '16', memory: '128Gi', gpu: '2' }, weight: 2 },
  { resources: { cpu: '8', memory: '64Gi', gpu: '1' }, weight: 3 },
  { resources: { cpu: '48', memory: '192Gi' }, weight: 1 },
  { resources: { cpu: '32', memory: '256Gi', gpu: '48' }, weight: 1 },
]
const pile = requests.flatMap(({ resources, weight }) =>
  Array<typeof resources>(weight).fill(resources),
)

/** A request every few seconds: reserve, use for a while, sometimes release early. */
export async function runTraffic(ports: Ports): Promise<void> {
  const { chance, signal } = ports
  while (!signal.aborted) {
    await pause(chance.between(EVERY_MIN_MS, EVERY_MAX_MS), signal)
    if (!signal.aborted) await oneRequest(ports)
  }
}

async function oneRequest({ brokers, chance, signal, onTrouble }: Ports): Promise<void> {
  const clusterId = chance.oneOf([...brokers.keys()])
  const broker = brokers.get(clusterId)
  if (!broker) return
  const request = {
    requestedResources: chance.oneOf(pile),
    duration: chance.oneOf(DURATIONS),
    priority: Math.floor(chance.between(0, 10)),
  }
  const answer = await broker.requestReservation(request).catch(failed)
  if (answer?.kind !== 'reserved') return
  const { id } = answer.reservation
  const isShort = chance.next() < 0.25
  // Not awaited: the next request comes whether or not this one is in use yet.
  use(broker, { id, signal, isShort, settleMs: chance.between(800, 3_000) }).catch(failed)

  function failed(error: Error): undefined {
    onTrouble(clusterId, error)
    return undefined
  }
}

type Use = Readonly<{ id: string; signal: AbortSignal; isShort: boolean; settleMs: number }>

async function use(broker: BrokerCommunicator, { id, signal, isShort, settleMs }: Use) {
  await pause(settleMs, signal)
  if (signal.aborted) return
  await broker.activate(id)
  if (!isShort) return
  await pause(10 * settleMs, signal)
  if (!signal.aborted) await broker.release({ id })
}
