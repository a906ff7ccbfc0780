import { reservationKind } from '@bourse/contract/kinds'
import {
  apiVersionOf,
  createKubeClient,
  type Kind,
  type KubeClient,
  type KubeObject,
  loadConnection,
} from '@bourse/kube'
import type { Benchmark } from '../harness/benchmark.ts'
import { summarize } from '../harness/statistics.ts'
import { startFederation } from '../rest/federation.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { mirrorsWritten } from './mirrors-written.ts'
import { startSightings } from './sightings.ts'

const RAW_TIMES = 4
const STATUS_WITHIN_MS = 100
const SAMPLES = 200
const SAMPLES_QUICK = 20
/** Until the engine has compiled what is hot. */
const WARM_UP = 30

const smallKind: Kind = {
  group: 'bench.bourse.dev',
  version: 'v1',
  namespaced: true,
  kind: 'Small',
  plural: 'smalls',
}

/** How soon a Reservation made with kubectl shows Reserved. */
export const kubernetesMadeByHand: Benchmark = {
  name: 'kubernetes-made-by-hand',
  bar: 'p50 ≤ 4 × one raw create, seen by a watch; p99 ≤ 100 ms',

  async run(stage) {
    const server = await startApiServer(stage)
    const federation = await startFederation(stage, 'kubernetes-made-by-hand', server)
    await mirrorsWritten(federation.broker)
    const { seenMs, reservedMs } = await inTurns(
      server,
      stage.pace.isQuick ? SAMPLES_QUICK : SAMPLES,
    )
    await federation.dispose()
    await server.stop()

    const raw = summarize(seenMs)
    const reserved = summarize(reservedMs)
    const what = 'Reservation object made to status Reserved seen, 1,000 clusters'
    return {
      lines: [
        {
          what: `${what}, p50`,
          measured: reserved.p50,
          unit: 'ms',
          floor: raw.p50,
          bar: { kind: 'atMost', limit: RAW_TIMES * raw.p50, said: '≤ 4 × one raw create + watch' },
        },
        {
          what: `${what}, p99`,
          measured: reserved.p99,
          unit: 'ms',
          floor: raw.p99,
          bar: {
            kind: 'atMost',
            limit: STATUS_WITHIN_MS,
            said: '≤ 100 ms',
            needsIdleMachine: true,
          },
        },
      ],
      details: { raw, reserved },
    }
  },
}

async function inTurns({ controlPlane }: ApiServer, samples: number) {
  const kubeconfig = controlPlane.adminKubeconfig
  const client = createKubeClient(await loadConnection({ kubeconfig }))
  const smalls = await startSightings(client, smallKind, () => true)
  const reservations = await startSightings(client, reservationKind, isReserved)
  const seenMs: number[] = []
  const reservedMs: number[] = []
  for (let sample = 0; sample < WARM_UP + samples; sample++) {
    const [seen, reserved] = [
      await smalls.timeOf(`raw-${sample}`, (name) => makeSmall(client, name)),
      await reservations.timeOf(`made-${sample}`, (name) => makeReservation(client, name)),
    ]
    if (sample < WARM_UP) continue
    seenMs.push(seen)
    reservedMs.push(reserved)
  }
  await smalls.stop()
  await reservations.stop()
  await client.close()
  return { seenMs, reservedMs }
}

type WithStatus = Readonly<{ status?: { phase?: string } }>

// The kind is read by us alone, and its schema has the phase.
const isReserved = (object: object) => (object as WithStatus).status?.phase === 'Reserved'

function makeSmall(client: KubeClient, name: string) {
  return client.create(smallKind, madeOf(smallKind, name, { note: 'small' }))
}

function makeReservation(client: KubeClient, name: string) {
  const requestedResources = { cpu: '10m', memory: '16Mi' }
  const spec = { requesterID: 'rome', requestedResources, duration: '1h' }
  return client.create(reservationKind, madeOf(reservationKind, name, spec))
}

function madeOf(kind: Kind, name: string, spec: object): KubeObject {
  const metadata = { name, namespace: 'default' }
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec }
}
