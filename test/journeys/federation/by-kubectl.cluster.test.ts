// Budget: 60 seconds.
import { EVENT, type KubeObject } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { bourseKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { describe, expect, it } from 'vitest'
import { aReservation, objectsOf, type Seen } from '../kubernetes/objects.ts'
import { useFederation } from './use-federation.ts'

const TIMEOUT_MS = 60_000
/** Half of what a question of an agent stays open when there is no news. */
const AT_ONCE_MS = 15_000

/** A broker with both doors, in a cluster of its own; rome and paris reach it by REST. */
const plane = useControlPlane({ kinds: bourseKinds })
const { federation, inCluster } = useFederation(() => ({
  clusters: ['rome', 'paris'],
  broker: {
    flags: [
      '--broker-interface=http,kubernetes',
      `--kubeconfig=${plane().adminKubeconfig}`,
      '--store=sqlite',
    ],
  },
}))

const isReserved = ({ status }: Seen) => status?.phase === 'Reserved'

describe('a Reservation that a user makes with kubectl at the broker', () => {
  const borrowed = async () => (await inCluster('rome').borrowed())[0]

  it('is told at once to the cluster that it is for', async () => {
    await objectsOf(plane()).apply(aReservation('by-hand', { requesterID: 'rome' }))
    const instruction = await eventually('rome is told', borrowed, AT_ONCE_MS)

    const made = await objectsOf(plane()).until('rsv', 'by-hand', isReserved)
    expect(instruction.metadata.name).toBe(made.status?.reservationID)
    expect(instruction.spec).toMatchObject({
      targetClusterID: 'paris',
      message: 'Use paris for 2 CPU, 4Gi Memory',
    })
  })

  it('leaves that cluster when it is deleted', async () => {
    await objectsOf(plane()).remove('rsv', 'by-hand')

    const isGone = async () => ((await borrowed()) ? undefined : true)
    await eventually('rome has no instruction', isGone, TIMEOUT_MS)
    const isFree = async () => (await inCluster('paris').lent()).length === 0
    await eventually('paris holds nothing', isFree, TIMEOUT_MS)
    await objectsOf(plane()).gone('rsv', 'by-hand')
  })
})

type Event = KubeObject &
  Readonly<{ regarding: { name: string }; type: string; reason: string; note: string }>

describe('the story of a ResourceRequest', () => {
  /** As `kubectl describe` shows it, as soon as it is as long as expected. */
  const storyOf = (name: string, eventCount: number) =>
    eventually(
      `${name} has ${eventCount} events`,
      async () => {
        const { client } = inCluster('rome')
        const { items } = await client.list<Event>(EVENT, { namespace: 'default' })
        const about = items.filter(({ regarding }) => regarding.name === name)
        const told = about.map(({ type, reason, note }) => [type, reason, note])
        return told.length >= eventCount ? told : undefined
      },
      TIMEOUT_MS,
    )

  it('is told in Kubernetes Events, from the lock to its use', async () => {
    const rome = inCluster('rome')
    await rome.ask('job', { duration: '1h' })
    const { reservationName = '', expiresAt } = await rome.phase('job', 'Reserved')
    await rome.edit('job', { duration: '2h' })
    const renewed = await rome.until('job', 'it lasts longer', (now) => now.expiresAt !== expiresAt)
    await (await federation().broker.aClient('rome')).activate(reservationName)
    await rome.phase('job', 'Active')

    const story = await storyOf('job', 3)

    expect(story.toSorted()).toEqual([
      ['Normal', 'Activated', 'In use on paris'],
      ['Normal', 'Renewed', `Renewed until ${renewed.expiresAt}`],
      ['Normal', 'Reserved', `Reserved on paris until ${expiresAt}`],
    ])
  })

  it('warns of what no cluster has', async () => {
    await inCluster('rome').ask('vast', { cpu: '10000' })
    const { message } = await inCluster('rome').phase('vast', 'Failed')

    expect(await storyOf('vast', 1)).toEqual([['Warning', 'NoClusterFits', message]])
  })
})
