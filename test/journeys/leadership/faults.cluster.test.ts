// Budget: 220 seconds. In full by `make soak`: LEADER_KILLS=20 JOINT_STARTS=20 OUTAGE_SECONDS=60
// PART_KILLS=10 LINE_CUTS=100 STORM_SECONDS=60 FREEZES=5.
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterAdvertisementKind, reservationKind } from '@bourse/contract/kinds'
import { createKubeClient, type Kind, type KubeClient, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import {
  advertiseParis,
  differences,
  leads,
  type Several,
  startBrokers,
  startLoad,
} from '@bourse/testkit/leadership'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { journalSlotKind } from '../../../apps/broker/src/store/kubernetes/kinds.ts'
import { clearObjects } from '../kubernetes/broker-on-objects.ts'
import { makePlace, type Place } from './a-place-on.ts'
import { openCuttableLine } from './cuttable-line.ts'
import { lookFromOutside } from './outside-look.ts'

const times = (name: string, sample: number) => Number(process.env[name] ?? sample)
const LEADER_KILLS = times('LEADER_KILLS', 2)
const JOINT_STARTS = times('JOINT_STARTS', 2)
const OUTAGE_SECONDS = times('OUTAGE_SECONDS', 8)
const PART_KILLS = times('PART_KILLS', 1)
const LINE_CUTS = times('LINE_CUTS', 10)
const STORM_SECONDS = times('STORM_SECONDS', 8)
const FREEZES = times('FREEZES', 1)
/** Beside a fault, everything that is started, shown and compared has this long. */
const TIMEOUT_MS = 240_000
/** Less than the callers would like to have, so that every grant is a question of room. */
const SUPPLY_CPU = 40
const CALLERS = 6
const LIVE_MAX = 10

const controlPlane = useControlPlane({ kinds: brokerKinds })
let client: KubeClient
let line: Awaited<ReturnType<typeof openCuttableLine>>
let several: Several
let load: Awaited<ReturnType<typeof startLoad>>
let outside: Awaited<ReturnType<typeof lookFromOutside>>
let place: Place

beforeAll(async () => {
  const { adminKubeconfig, url } = controlPlane()
  client = createKubeClient(await loadConnection({ kubeconfig: adminKubeconfig }))
  line = await openCuttableLine(url)
  return async () => {
    line.close()
    await client.close()
  }
})

/** Two brokers on a new ledger, a load that fills the only provider, and an observer. */
beforeEach(async () => {
  place = await makePlace(controlPlane())
  several = await startBrokers(2, [
    '--broker-interface=http,kubernetes',
    '--store=kubernetes',
    // A small ring goes round many times: what follows meets slots that are there, not new ones.
    '--store-slots=32',
    `--store-namespace=${place.namespace}`,
    `--kubeconfig=${line.kubeconfig(place.kubeconfig)}`,
  ])
  const { brokers, leader } = several
  await advertiseParis(await leader(), String(SUPPLY_CPU))
  const where = { client, brokers, namespace: 'default' }
  outside = await lookFromOutside({ ...where, supplyCpu: SUPPLY_CPU })
  load = await startLoad(brokers, CALLERS, { liveMax: LIVE_MAX })
  await load.nextSuccessAfter(performance.now())
}, TIMEOUT_MS)

afterEach(async () => {
  await several.stop()
  await clearObjects(controlPlane())
}, TIMEOUT_MS)

/** Nothing lost, nothing twice, never too much, and the objects say so too. */
async function expectOrder(): Promise<void> {
  await load.nextSuccessAfter(performance.now())
  await load.stop()
  await outside.stop()
  const operator = await (await several.leader()).aRawOperator()
  expect(await differences(operator, load.acknowledged, load.released)).toEqual([])
  expect(load.contradictions).toEqual([])
  expect(outside.overbooked).toEqual([])
  expect(outside.looks()).toBeGreaterThan(0)
  await outside.converged(operator)
}

describe('two brokers with both doors, on a provider that is always full', () => {
  it(
    `stay consistent when the leader is killed under load, ${LEADER_KILLS} times`,
    async () => {
      for (let kill = 0; kill < LEADER_KILLS; kill++) {
        await load.nextSuccessAfter(performance.now())
        const leading = await several.leader()
        await leading.kill('SIGKILL')
        await load.nextSuccessAfter(performance.now())
        await several.relaunch(leading)
      }

      await expectOrder()
    },
    TIMEOUT_MS + LEADER_KILLS * 30_000,
  )

  it(
    `stay consistent when both are killed and start at the same time, ${JOINT_STARTS} times`,
    async () => {
      const { brokers, leader } = several
      for (let start = 0; start < JOINT_STARTS; start++) {
        await load.nextSuccessAfter(performance.now())
        await Promise.all(brokers.map((broker) => broker.kill('SIGKILL')))
        for (const broker of brokers) broker.launch()
        await leader()
        await load.nextSuccessAfter(performance.now())

        const leaders = async () => (await Promise.all(brokers.map(leads))).filter(Boolean)
        expect((await leaders()).length).toBeLessThan(2)
        // On a busy machine it may be late to say that it does.
        await expect.poll(leaders).toEqual([true])
      }

      await expectOrder()
    },
    TIMEOUT_MS + JOINT_STARTS * 30_000,
  )

  it(
    `stay consistent when API server and etcd are out of reach for ${OUTAGE_SECONDS} s`,
    async () => {
      const { apiServer, etcd } = controlPlane()

      for (const part of [apiServer, etcd]) part.freeze()
      await sleep(OUTAGE_SECONDS * 1_000)
      for (const part of [etcd, apiServer]) part.thaw()

      await expectOrder()
    },
    TIMEOUT_MS + OUTAGE_SECONDS * 1_000,
  )

  it.each(['apiServer', 'etcd'] as const)(
    `stay consistent when %s is killed under load and started again, ${PART_KILLS} times`,
    async (name) => {
      const part = controlPlane()[name]
      for (let kill = 0; kill < PART_KILLS; kill++) {
        await load.nextSuccessAfter(performance.now())
        await part.kill('SIGKILL')
        await sleep(1_000)
        await part.start()
        await load.nextSuccessAfter(performance.now())
      }

      await expectOrder()
    },
    TIMEOUT_MS + PART_KILLS * 30_000,
  )

  it(
    `stay consistent when every connection to the API server is cut, ${LINE_CUTS} times`,
    async () => {
      for (let cut = 0; cut < LINE_CUTS; cut++) {
        await sleep(300)
        await eventually('There is a connection to cut', () => line.connections() > 0, 60_000)
        line.cut()
      }

      await expectOrder()
    },
    TIMEOUT_MS + LINE_CUTS * 1_000,
  )

  it(
    `stay consistent while another client changes every object all the time, for ${STORM_SECONDS} s`,
    async () => {
      const before = await journalConflicts()
      const over = performance.now() + STORM_SECONDS * 1_000
      while (performance.now() < over) await meddle()
      await eventually(
        'A write was too late',
        async () => (await meddle()) > 0 && (await journalConflicts()) > before,
        60_000,
      )

      await expectOrder()
    },
    TIMEOUT_MS + STORM_SECONDS * 1_000,
  )

  it(
    `stay consistent when the leader is frozen past its lease and thawed, ${FREEZES} times`,
    async () => {
      for (let freeze = 0; freeze < FREEZES; freeze++) {
        const frozen = await several.leader()
        const [other] = several.brokers.filter((broker) => broker !== frozen)
        process.kill(frozen.pid, 'SIGSTOP')
        await eventually('The other leads', async () => other && (await leads(other)), 60_000)
        await load.nextSuccessAfter(performance.now())
        process.kill(frozen.pid, 'SIGCONT')
        await load.nextSuccessAfter(performance.now() + 1_000)
        // It has ended by itself, to stand by: another one led.
        await eventually('It runs no more', () => !frozen.isRunning() || undefined, 60_000)
        await several.relaunch(frozen)
      }

      await expectOrder()
    },
    TIMEOUT_MS + FREEZES * 60_000,
  )
})

/** A label on everything that the brokers write: every version that they knew is outdated. */
async function meddle(): Promise<number> {
  const { namespace } = place
  const groups = [
    { kind: reservationKind, items: await listed(reservationKind, { namespace: 'default' }) },
    { kind: clusterAdvertisementKind, items: await listed(clusterAdvertisementKind, {}) },
    { kind: journalSlotKind, items: await listed(journalSlotKind, { namespace }) },
  ]
  const labels = { storm: String(Math.round(performance.now())) }
  const changed = await Promise.allSettled(
    groups.flatMap(({ kind, items }) =>
      items.map(({ metadata }) => client.mergePatch(kind, metadata, { metadata: { labels } })),
    ),
  )
  return changed.filter(({ status }) => status === 'fulfilled').length
}

/** Writes of a slot that were refused since the API server began, as it counts them itself. */
async function journalConflicts(): Promise<number> {
  const told = await controlPlane().kubectl(['get', '--raw=/metrics'])
  const counts = told
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_total{') && line.includes('code="409"'))
    .filter((line) => line.includes('resource="journalslots"') && line.includes('verb="PUT"'))
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

async function listed(kind: Kind, options: { namespace?: string }) {
  return (await client.list(kind, options)).items
}
