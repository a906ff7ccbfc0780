// Budget: 90 seconds. A directory that is put back to an older copy, beside an API server that is not.
import { openKubernetesBroker } from '@bourse/client/kubernetes'
import { LEDGER_SEEN_ANNOTATION } from '@bourse/contract/kinds'
import {
  anAdvertisement,
  aRequest,
  eventually,
  fetchAnew,
  prepareBroker,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { acceptRollback, forgetting, saysSo } from '../hostile/rolled-back-scene.ts'
import { clearObjects } from './broker-on-objects.ts'

const controlPlane = useControlPlane({ kinds: brokerKinds })
const NEVER_GIVEN = `9999.${'a'.repeat(16)}.${'A'.repeat(22)}`

describe('an older copy of a directory, with the kubernetes interface', () => {
  afterEach(() => clearObjects(controlPlane()))

  it('is found out by the objects that it has written itself', async () => {
    const broker = await onObjects()
    const paris = await anAgent('paris')
    await paris.publishAdvertisement(anAdvertisement('paris', { cpu: '8' }))
    await forgetting(broker, async () => {
      const rome = await anAgent('rome')
      await rome.requestReservation(aRequest({ cpu: '1' }))
    })

    broker.launch()

    await saysSo(broker)
  })

  it('is found out by what an agent has seen, when the objects went back as well', async () => {
    const broker = await onObjects()
    const paris = await anAgent('paris')
    await forgetting(broker, async () => {
      for (const cpu of ['8', '9', '10'])
        await paris.publishAdvertisement(anAdvertisement('paris', { cpu }))
    })
    await clearObjects(controlPlane())
    await broker.restart()

    const refusal = await paris
      .publishAdvertisement(anAdvertisement('paris', { cpu: '8' }))
      .catch(String)

    await saysSo(broker)
    expect(refusal).toContain('No broker answered')
    await broker.stop()
    await acceptRollback(['--data-dir', broker.dataDir])
    await broker.restart()
    const healed = await paris.publishAdvertisement(anAdvertisement('paris', { cpu: '8' }))
    expect(healed.advertisement).toMatchObject({ clusterID: 'paris' })
  })

  it('is not what a forged proof makes of a broker: that object is told so, and counts', async () => {
    const broker = await onObjects()
    const paris = await anAgent('paris')
    const { ledgerId = '' } = await paris.publishAdvertisement(anAdvertisement('paris'))

    paris.remember?.({ ledgerId, proof: NEVER_GIVEN })
    const { advertisement } = await paris.publishAdvertisement(
      anAdvertisement('paris', { cpu: '4' }),
    )

    const { kubectl } = controlPlane()
    const events = ['get', 'events', '--field-selector=reason=UnprovenIndex', '--output=json']
    const told = await eventually('an event tells of it', async () => {
      const said = await kubectl(events)
      return said.includes(LEDGER_SEEN_ANNOTATION) ? said : undefined
    })
    expect(told).toContain('It is ignored')
    expect(advertisement.resources.capacity).toMatchObject({ cpu: '4' })
    expect(await broker.isReady()).toBe(true)
    const metrics = await (await fetchAnew(broker.metricsUrl)).text()
    expect(metrics).toMatch(/^broker_rolled_back 0$/m)
    expect(metrics).toMatch(/^broker_unproven_seen_total [1-9]\d*$/m)
  })
})

describe('an anchor in a ConfigMap', () => {
  it('keeps an older copy from starting, with the right to get and update that one', async () => {
    const { kubectl } = controlPlane()
    await kubectl(['create', 'configmap', 'anchor'])
    await kubectl(['label', 'configmap', 'anchor', 'kept=yes'])
    const broker = await startBroker({ flags: await anchoredIn('anchor') })
    onTestFinished(broker.dispose)
    const rome = await broker.aClient('rome')
    await forgetting(broker, async () => {
      for (const cpu of ['8', '9', '10'])
        await rome.publishAdvertisement(anAdvertisement('rome', { cpu }))
    })

    const exit = await broker.launch().exited

    expect(exit.code).toBeGreaterThan(0)
    expect(broker.logs()).toMatch(/older copy of its ledger.*Its anchor says so/s)
    await acceptRollback(['--data-dir', broker.dataDir])
    await broker.restart()
    const { ledgerId = '' } = await rome.ping()
    await broker.stop()
    const anchor = await kubectl(['get', 'configmap', 'anchor', '--output=json'])
    expect(JSON.parse(anchor)).toMatchObject({
      metadata: { labels: { kept: 'yes' } },
      data: { 'anchor.json': expect.stringContaining(ledgerId) },
    })
  })

  it('that may not be read keeps the broker from starting, and is named', async () => {
    const flags = await anchoredIn('anchor-of-others', { mayRead: 'something-else' })
    const broker = await prepareBroker({ flags })
    onTestFinished(broker.dispose)

    const exit = await broker.launch().exited

    expect(exit.code).toBeGreaterThan(0)
    expect(broker.logs()).toMatch(
      /The anchor configmap:default\/anchor-of-others cannot be read.*forbidden/s,
    )
  })
})

/** The chart's right, and no other. */
async function anchoredIn(name: string, { mayRead = name } = {}): Promise<string[]> {
  const { kubectl, kubeconfigFor } = controlPlane()
  const user = `of-${name}`
  const rights = ['--verb=get,update', '--resource=configmaps', `--resource-name=${mayRead}`]
  await kubectl(['create', 'role', user, ...rights])
  await kubectl(['create', 'rolebinding', user, `--role=${user}`, `--user=${user}`])
  await eventually('the right is in force', () =>
    kubectl(['auth', 'can-i', 'update', `configmaps/${mayRead}`, `--as=${user}`]).then(
      () => true,
      () => undefined,
    ),
  )
  const kubeconfig = await kubeconfigFor({ user })
  return [`--anchor=configmap:default/${name}`, `--kubeconfig=${kubeconfig}`]
}

async function onObjects(): Promise<TestBroker> {
  const { adminKubeconfig } = controlPlane()
  const interfaces = ['--broker-interface=http,kubernetes', '--store=sqlite']
  const broker = await startBroker({ flags: [...interfaces, `--kubeconfig=${adminKubeconfig}`] })
  onTestFinished(broker.dispose)
  return broker
}

async function anAgent(clusterId: string) {
  const kubeconfig = controlPlane().adminKubeconfig
  const place = { clusterId, kubeconfig, namespace: 'default' }
  const agent = await openKubernetesBroker({ ...place, retry: { attemptsMax: 1 } })
  onTestFinished(agent.close)
  return agent
}
