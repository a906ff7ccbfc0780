// Budget: 20 seconds.
import { anAdvertisement, aRequest, eventually } from '@bourse/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { useRome } from '../../../../test/journeys/agent/use-rome.ts'

/** rome borrows from paris and lends to berlin. */
describe('an instruction that a user', () => {
  const { controlPlane, broker, rome, anAgent } = useRome()
  let borrowed = ''
  let lent = ''
  beforeAll(async () => {
    await (await broker().aClient('rome')).publishAdvertisement(anAdvertisement('rome'))
    await rome().ask('job', { duration: '1h' })
    const berlin = await broker().aClient('berlin')
    const wanted = { targetClusterID: 'rome', duration: '1h' }
    const outcome = await berlin.requestReservation(aRequest({ cpu: '1' }, wanted))
    lent = outcome.kind === 'reserved' ? `pinst/${outcome.reservation.id}-provider` : ''
  })

  it.each([
    { name: 'edited', patch: { spec: { message: 'Use mordor', targetClusterID: 'mordor' } } },
    {
      name: 'emptied',
      patch: { spec: { message: null, requestedCPU: null, requestedResources: null } },
    },
    { name: 'took the stamp of', patch: { metadata: { annotations: null } } },
  ])('$name is corrected, on either side', async ({ patch }) => {
    await atWork()
    const before = [await written(borrowed), await written(lent)]
    const change = ['--type=merge', `--patch=${JSON.stringify(patch)}`]

    await controlPlane().kubectl(['patch', borrowed, ...change])
    await controlPlane().kubectl(['patch', lent, ...change])

    await eventually('both are as they were', async () => {
      const now = [await written(borrowed), await written(lent)]
      return JSON.stringify(now) === JSON.stringify(before)
    })
  })

  it('deleted is made again, on either side', async () => {
    await atWork()
    const before = [await written(borrowed), await written(lent)]

    await controlPlane().kubectl(['delete', borrowed, lent])

    await eventually('both are there again', async () => {
      const now = [await written(borrowed), await written(lent)]
      return JSON.stringify(now) === JSON.stringify(before)
    })
  })

  it('calls over in the status of its request stays, and the status is corrected', async () => {
    await atWork()
    const over = '--patch={"status":{"phase":"Released","reservationName":"none"}}'

    await controlPlane().kubectl([
      'patch',
      'rreq/job',
      '--subresource=status',
      '--type=merge',
      over,
    ])

    const { reservationName } = await rome().phase('job', 'Reserved')
    expect(`rinst/${reservationName}`).toBe(borrowed)
    expect(await rome().borrowed()).toHaveLength(1)
  })

  it('made up counts for nothing, is left alone, and its maker is told', async () => {
    const agent = await anAgent()
    const made = ['ReservationInstruction', 'ProviderInstruction'].map((kind) => ({
      apiVersion: 'liqo.io/v1alpha1',
      kind,
      metadata: { name: 'made-up' },
      spec: { requestedCPU: '1000', requestedResources: { cpu: '1000' } },
    }))
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: made })
    await controlPlane().kubectl(['apply', '--filename=-'], list)

    const told = ['get', 'events.events.k8s.io', '--output=jsonpath={.items[*].reason}']
    await eventually('its maker is told', async () => {
      const reasons = (await controlPlane().kubectl(told)).split(' ')
      return reasons.filter((reason) => reason === 'NotFromBroker').length === 2
    })
    expect(agent.follower.held().map(({ id }) => `pinst/${id}-provider`)).toEqual([lent])
    expect(await rome().borrowed()).toHaveLength(2)
    expect(await rome().lent()).toHaveLength(2)
  })

  /** An agent that has carried out both. */
  async function atWork(): Promise<void> {
    await anAgent()
    const { reservationName } = await rome().phase('job', 'Reserved')
    borrowed = `rinst/${reservationName}`
    await eventually('both are carried out', async () => {
      const [mine] = await rome().borrowed()
      const [theirs] = await rome().lent()
      return mine?.status?.delivered && theirs?.status?.enforced
    })
  }

  /** What the agent has written of it, and nothing that the API server adds. */
  async function written(object: string) {
    const get = ['get', object, '--ignore-not-found', '--output=json']
    const { metadata, spec } = JSON.parse((await controlPlane().kubectl(get)) || '{"metadata":{}}')
    return { spec, annotations: metadata.annotations }
  }
})
