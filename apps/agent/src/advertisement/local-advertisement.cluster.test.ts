// Budget: 20 seconds.
import { randomUUID } from 'node:crypto'
import type { LocalAdvertisementSpec } from '@bourse/contract/kinds'
import {
  type Clock,
  createKubeClient,
  type KubeObject,
  loadConnection,
  systemClock,
} from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { steppedClock } from '@bourse/testkit/clock'
import { agentKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it, onTestFinished } from 'vitest'
import { ADVERTISEMENT } from '../kubernetes/kinds.ts'
import type { Advertised } from './compose-advertisement.ts'
import { createLocalAdvertisement } from './local-advertisement.ts'

const controlPlane = useControlPlane({ kinds: agentKinds })

/** As it is composed: without what is empty. */
const holding = (cpu?: string): Advertised => ({
  clusterID: 'paris',
  clusterName: 'paris',
  resources: {
    capacity: { cpu: '8' },
    allocatable: { cpu: '8' },
    allocated: { cpu: '0' },
    ...(cpu && { reserved: { cpu } }),
    available: { cpu: '8' },
  },
})

/** What is shown, and how often its spec was written. */
type Shown = KubeObject<LocalAdvertisementSpec> | undefined
const cpuIn = (shown: Shown) => shown?.spec?.resources?.reserved?.cpu

async function aWindow(clock: Clock = systemClock) {
  const { adminKubeconfig: kubeconfig } = controlPlane()
  const client = createKubeClient(await loadConnection({ kubeconfig }))
  const [name, namespace] = ['cluster-advertisement', `paris-${randomUUID().slice(0, 8)}`]
  await controlPlane().kubectl(['create', 'namespace', namespace])
  const local = createLocalAdvertisement({
    client,
    name,
    namespace,
    clock,
    own: { current: () => undefined, subscribe: () => () => {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  onTestFinished(async () => {
    await local.stop()
    await client.close()
  })
  const found = (): Promise<Shown> =>
    client
      .get<KubeObject<LocalAdvertisementSpec>>(ADVERTISEMENT, name, namespace)
      .catch(() => undefined)
  return {
    local,
    found,
    show: (cpu: string | undefined, at: number) =>
      local.show({ accepted: { advertised: holding(cpu), at } }, []),
    isShown: (cpu: string | undefined) =>
      eventually(`${cpu ?? 'nothing'} is reserved`, async () => {
        const shown = await found()
        return shown && cpuIn(shown) === cpu
      }),
  }
}

it('shows that nothing is reserved any more', async () => {
  const { local, show, isShown } = await aWindow()

  show('2', 1_000)
  await isShown('2')
  show(undefined, 2_000)
  await isShown(undefined)

  expect(local.trouble()).toBeUndefined()
})

it('shows what was published, and no more than that', async () => {
  const { local, found } = await aWindow()
  const more = {
    location: 'Paris, FR',
    labels: { tier: 'gold' },
    visibility: 'full' as const,
    largestFit: { cpu: '3' },
    gpuModels: { H100: 8 },
  }
  const spec = async () => (await found())?.spec
  const show = (advertised: Advertised, at: number) =>
    local.show({ accepted: { advertised, at } }, [])

  show({ ...holding('2'), ...more }, 1_000)
  await eventually('it is shown', async () => (await spec())?.location)
  const all = await spec()
  show(holding('2'), 2_000)
  await eventually('it is gone', async () => (await spec())?.location === undefined)

  expect(all).toMatchObject(more)
  expect(await spec()).not.toHaveProperty('largestFit')
  expect(local.trouble()).toBeUndefined()
})

it('is written once in two seconds, however often there is something new', async () => {
  const clock = steppedClock()
  const { found, show, isShown } = await aWindow(clock)
  show('1', 1_000)
  await clock.advance(0)
  await isShown('1')

  for (const cpu of ['2', '3', '4']) {
    show(cpu, 2_000)
    await clock.advance(600)
  }
  expect(cpuIn(await found())).toBe('1')
  await clock.advance(200)

  await isShown('4')
  expect((await found())?.metadata.generation).toBe(2)
})
