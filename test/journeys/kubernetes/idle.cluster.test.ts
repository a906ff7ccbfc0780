// Budget: 40 seconds.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, startBroker } from '@bourse/testkit'
import { brokerKinds, writesSeen, writtenSince } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'
import { aPlaceOn } from '../leadership/a-place-on.ts'
import { aClusterAdvertisement, objectsOf, TIMEOUT_MS } from './objects.ts'

const CLUSTERS = 100
const LOOK_MS = 10_000
/** To look at all of them again every second costs more. What they do cost, `make bench` says. */
const SHARE_MAX = 0.05
/** What the kernel counts in, on every Linux that Node runs on. */
const TICK_MS = 10

const plane = useControlPlane({ kinds: brokerKinds })

it('writes nothing for 100 idle clusters, and has hardly any work with them', async () => {
  const flags = ['--broker-interface=http,kubernetes', '--store=kubernetes', '--leader-elect']
  const broker = await startBroker({ flags: [...flags, ...(await aPlaceOn(plane()))] })
  onTestFinished(broker.dispose)
  const { all, apply } = objectsOf(plane())
  const aloneMs = await cpuMsOver(broker.pid, LOOK_MS)

  const ids = Array.from({ length: CLUSTERS }, (_, nth) => `cluster-${nth}`)
  await apply(...ids.map((id) => aClusterAdvertisement(id, id, '10')))
  await eventually('All are shown', async () => areActive(await all('cadv')), TIMEOUT_MS)
  const still = await eventually('Nothing moves any more', settled, TIMEOUT_MS)
  expect(still.size).toBeGreaterThan(CLUSTERS)
  const tookMs = await cpuMsOver(broker.pid, LOOK_MS)

  expect(writtenSince(still, await writesSeen(plane()))).toEqual([])
  expect((tookMs - aloneMs) / LOOK_MS).toBeLessThan(SHARE_MAX)

  async function settled(): Promise<ReadonlySet<string> | undefined> {
    const before = await writesSeen(plane())
    await sleep(1_000)
    const after = await writesSeen(plane())
    return writtenSince(before, after).length === 0 ? after : undefined
  }
})

type Shown = Readonly<{ status?: Readonly<{ phase?: string }> }>

function areActive(shown: readonly Shown[]): true | undefined {
  const active = shown.filter(({ status }) => status?.phase === 'Active')
  return active.length === CLUSTERS || undefined
}

async function cpuMsOver(pid: number, ms: number): Promise<number> {
  const before = cpuMsOf(pid)
  await sleep(ms)
  return cpuMsOf(pid) - before
}

/** User and system time of a process since it began. */
function cpuMsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
