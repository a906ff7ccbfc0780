import { join } from 'node:path'
import {
  providerInstructionKind,
  reservationInstructionKind,
  reservationKind,
} from '@bourse/contract/kinds'
import {
  apiVersionOf,
  createKubeClient,
  type Kind,
  type KubeClient,
  type KubeObject,
  loadConnection,
} from '@bourse/kube'
import { aRequest } from '@bourse/testkit'
import { bourseKinds, type ControlPlane, startControlPlane } from '@bourse/testkit/control-plane'
import { type Federation, startFederation } from '@bourse/testkit/federation'
import type { Benchmark, Stage } from '../harness/benchmark.ts'
import { BUNDLE } from '../harness/broker-process.ts'
import { summarize } from '../harness/statistics.ts'

const BY_HAND_MS_MAX = 1_000
const TOLD_MS_MAX = 50
const SAMPLES = 50
const SAMPLES_QUICK = 10
/** Until the engines of all three have compiled what is hot. */
const WARM_UP = 20
const GIVE_UP_MS = 10_000

/** How soon two real agents know of a reservation, each by the object that it makes of it. */
export const agentsTold: Benchmark = {
  name: 'agents-told',
  bar: 'p99 ≤ 1 s from a Reservation made by kubectl; the provider knows 50 ms after the answer',

  async run(stage) {
    const plane = await startControlPlane({
      kinds: bourseKinds,
      dataDir: join(stage.workDir, 'agents-told'),
    })
    const federation = await startBoth(plane)
    const measured = await measure(stage, plane, federation)
    await federation.dispose()
    await plane.stop()
    return { lines: linesOf(measured), details: measured }
  },
}

/** A broker with both doors; rome and paris reach it by REST, with the chart's rights. */
function startBoth(plane: ControlPlane): Promise<Federation> {
  const doors = ['--broker-interface=http,kubernetes', '--store=sqlite']
  return startFederation({
    clusters: ['rome', 'paris'],
    nodes: { paris: [{ cpu: '64', memory: '256Gi' }] },
    broker: {
      flags: [...doors, `--kubeconfig=${plane.adminKubeconfig}`],
      env: { BOURSE_MAIN: BUNDLE },
    },
    agentEnv: { BOURSE_MAIN: BUNDLE },
  })
}

async function measure({ pace }: Stage, plane: ControlPlane, federation: Federation) {
  const atBroker = await clientOf(plane)
  const inRome = await clientOf(federation.cluster('rome').controlPlane)
  const inParis = await clientOf(federation.cluster('paris').controlPlane)
  const borrowed = await startArrivals(inRome, reservationInstructionKind)
  const lent = await startArrivals(inParis, providerInstructionKind)
  const rome = await federation.broker.aClient('rome')
  const byHandMs: number[] = []
  const toldMs: number[] = []
  const samples = pace.isQuick ? SAMPLES_QUICK : SAMPLES
  for (let sample = 0; sample < WARM_UP + samples; sample++) {
    const arrivals = [borrowed.next(), lent.next()] as const
    const madeAt = performance.now()
    await makeReservation(atBroker, `made-${sample}`)
    const [shownAt] = await Promise.all(arrivals)

    const others = [lent.next(), borrowed.next()] as const
    await rome.requestReservation(aRequest(SMALL, { targetClusterID: 'paris', duration: '1h' }))
    const answeredAt = performance.now()
    const [toldAt] = await Promise.all(others)
    if (sample < WARM_UP) continue
    byHandMs.push(shownAt - madeAt)
    toldMs.push(Math.max(0, toldAt - answeredAt))
  }
  await Promise.all([borrowed.stop(), lent.stop()])
  await Promise.all([atBroker, inRome, inParis].map((client) => client.close()))
  return { byHand: summarize(byHandMs), told: summarize(toldMs) }
}

const SMALL = { cpu: '10m', memory: '16Mi' }

/** When the next object of a kind comes to be, as a watch shows it. */
async function startArrivals(client: KubeClient, kind: Kind) {
  const { resourceVersion } = await client.list(kind, { namespace: 'default' })
  const stopping = new AbortController()
  let arrived: ((at: number) => void) | undefined
  const watching = watch()

  async function watch(): Promise<void> {
    const options = { namespace: 'default', resourceVersion, signal: stopping.signal }
    for await (const { type } of client.watch(kind, options))
      if (type === 'ADDED') arrived?.(performance.now())
  }
  return {
    next: () =>
      new Promise<number>((resolve, reject) => {
        const never = () => reject(new Error(`No ${kind.kind} has come.`))
        const late = setTimeout(never, GIVE_UP_MS)
        arrived = (at) => {
          clearTimeout(late)
          resolve(at)
        }
      }),
    async stop(): Promise<void> {
      stopping.abort()
      await watching.catch(() => {})
    },
  }
}

function makeReservation(client: KubeClient, name: string): Promise<KubeObject> {
  return client.create<KubeObject>(reservationKind, {
    apiVersion: apiVersionOf(reservationKind),
    kind: reservationKind.kind,
    metadata: { name, namespace: 'default' },
    spec: { requesterID: 'rome', requestedResources: SMALL, duration: '1h' },
  })
}

async function clientOf({ adminKubeconfig }: ControlPlane): Promise<KubeClient> {
  return createKubeClient(await loadConnection({ kubeconfig: adminKubeconfig }))
}

function linesOf({ byHand, told }: Awaited<ReturnType<typeof measure>>) {
  const made = 'Reservation made at the broker to its ReservationInstruction seen'
  const known = "the requester's answer to the ProviderInstruction seen, its write included"
  return [
    { what: `${made}, p50`, measured: byHand.p50, unit: 'ms' },
    {
      what: `${made}, p99`,
      measured: byHand.p99,
      unit: 'ms',
      bar: { kind: 'atMost', limit: BY_HAND_MS_MAX, said: '≤ 1 s' },
    },
    { what: `${known}, p50`, measured: told.p50, unit: 'ms' },
    {
      what: `${known}, p99`,
      measured: told.p99,
      unit: 'ms',
      bar: { kind: 'atMost', limit: TOLD_MS_MAX, said: '≤ 50 ms', needsIdleMachine: true },
    },
  ] as const
}
