import { setTimeout as sleep } from 'node:timers/promises'
import type { BrokerPeerings } from '@bourse/client'
import { parseResources } from '@bourse/domain/quantity'
import type { Clock, KubeClient } from '@bourse/kube'
import type { ObjectEvents } from '../../../kubernetes/events.ts'
import type { BorrowedReservation, HeldReservation, Peering, Progress } from '../../port/peering.ts'
import { createNativePeering } from '../create-native-peering.ts'
import type { Issue } from './fake-liqo.fixture.ts'

type Options = Readonly<{
  clusterId: string
  client: KubeClient
  broker: BrokerPeerings
  issue: Issue
  /** What the broker holds on this cluster. */
  held: ReadonlyMap<string, HeldReservation>
  networking?: 'none' | 'wireguard'
  objectEvents?: Pick<ObjectEvents, 'tell'>
  lingerMs?: number
  graceMs?: number
  clock?: Clock
  apiServerUrl?: string
}>

const { signal } = new AbortController()
/** What changes only with time causes no event. */
const LOOK_AGAIN_MS = 20

/** A live cluster has never needed it, however busy the machine. */
const GRACE_MS = 600_000

/** An agent's peering as its machine has it, with times that fit a test. */
export async function aPeer(options: Options): Promise<Peering> {
  const { clusterId, client, broker, issue, held } = options
  const { networking = 'none', lingerMs = 0, graceMs = GRACE_MS } = options
  const all = () => [...held.values()]
  const peering = createNativePeering({
    client,
    broker,
    clusterId,
    namespace: 'default',
    certPath: await issue(clusterId),
    settings: {
      kind: 'native',
      liqoNamespace: 'liqo',
      sliceClass: 'bourse',
      networking,
      serviceType: 'NodePort',
      drainTimeoutMs: 1_000,
      lingerMs,
      graceMs,
      takeBackMs: graceMs,
      quietMs: 0,
      ...(options.apiServerUrl && { apiServerUrl: options.apiServerUrl }),
    },
    lent: { labels: {}, toleratedTaints: [] },
    lending: () => ({ held: all, instructed: all, brokerNow: Date.now }),
    objectEvents: options.objectEvents ?? { tell() {} },
    meters: { sliceJudged() {}, distrusted() {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    ...(options.clock && { clock: options.clock }),
  })
  // As instructions do: everything that changed is looked at again.
  peering.subscribe((id) => {
    const reservation = held.get(id)
    if (reservation) peering.lend(reservation, signal).catch(() => {})
  })
  await peering.start()
  for (const reservation of all()) await peering.lend(reservation, signal)
  return peering
}

export function heldFor(
  requester: string,
  { id, resources }: BorrowedReservation,
): HeldReservation {
  const parsed = parseResources(resources, 'supply')
  return { id, requester, resources: parsed.kind === 'ok' ? parsed.resources : {} }
}

type Answer = Pick<Progress, 'isDone' | 'steps'>

/** Repeats a verb as an instruction does, until it is done; a fault is tried again. */
export async function untilDone(perform: () => Promise<Answer>, withinMs = 30_000): Promise<void> {
  let last: Answer | undefined
  for (
    const end = performance.now() + withinMs;
    performance.now() < end;
    await sleep(LOOK_AGAIN_MS)
  ) {
    last = await perform().catch(() => undefined)
    if (last?.isDone) return
  }
  throw new Error(`Still not done: ${JSON.stringify(last?.steps.at(-1))}`)
}

/** Repeats it until it is stuck on this. */
export async function untilStuck(
  perform: () => Promise<Answer>,
  reason: string,
  withinMs = 30_000,
) {
  for (
    const end = performance.now() + withinMs;
    performance.now() < end;
    await sleep(LOOK_AGAIN_MS)
  ) {
    const { steps } = await perform()
    const step = steps.find((one) => one.reason === reason)
    if (step) return step
  }
  throw new Error(`Never stuck on ${reason}.`)
}
