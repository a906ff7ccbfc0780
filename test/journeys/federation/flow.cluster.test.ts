import { isDeepStrictEqual } from 'node:util'
import { eventually } from '@bourse/testkit'
import { describe, expect, it } from 'vitest'
import { useFederation } from './use-federation.ts'

const flags: Readonly<Record<string, readonly string[]>> = {
  paris: ['--cpu-cost=0.04', '--memory-cost=0.005', '--advertisement-requeue-interval=1h'],
  berlin: ['--cpu-cost=0.02', '--memory-cost=0.0025'],
}

/**
 * rome asks; paris has twice as much, berlin costs half as much.
 *
 *   for 2 CPU, 4Gi       resources 70 %              cost 30 %                 score
 *   paris 16, 64Gi       (87.5 + 93.75) / 2 = 90.63  0.05 / 0.10 = 50          78.44
 *   berlin 8, 32Gi       (75 + 87.5) / 2 = 81.25     100                       86.88
 */
describe('from a request to capacity elsewhere, and back', () => {
  const { federation, inCluster } = useFederation({
    clusters: ['rome', 'paris', 'berlin'],
    nodes: { paris: [{}, {}] },
    agentFlags: (id) => flags[id] ?? [],
  })
  let reservation = ''

  it('1. each agent starts under the id of its cluster', () => {
    for (const id of ['rome', 'paris', 'berlin'])
      expect(federation().cluster(id).agent.logs()).toContain(`"clusterID":"${id}"`)
  })

  it('2. each publishes what its nodes have', async () => {
    const operator = await federation().broker.anOperator()

    const { items } = await operator.listClusters()

    const published = items.map(({ clusterID, resources }) => [
      clusterID,
      resources.allocatable.cpu,
      resources.allocatable.memory,
    ])
    expect(published.toSorted()).toEqual([
      ['berlin', '8', '32Gi'],
      ['paris', '16', '64Gi'],
      ['rome', '8', '32Gi'],
    ])
  })

  it('3. a user of rome asks for capacity, and has it', async () => {
    await inCluster('rome').ask('job', { cpu: '2', memory: '4Gi', duration: '1h' })

    const status = await inCluster('rome').phase('job', 'Reserved')

    reservation = status.reservationName ?? ''
    expect(reservation).toMatch(/^rsv-/)
  })

  it('4.–6. its own cluster is left out, and the others are compared 70 to 30', async () => {
    const operator = await federation().broker.anOperator()

    const { rows = [] } = await operator.explain(reservation)

    const verdicts = rows.map(({ clusterID, verdict, reason, score, parts }) => ({
      ...{ clusterID, verdict, reason, score, parts },
    }))
    expect(verdicts.toSorted((a, b) => (a.clusterID < b.clusterID ? -1 : 1))).toEqual([
      {
        clusterID: 'berlin',
        verdict: 'chosen',
        score: '86.88',
        parts: { resources: '81.25', cost: '100.00' },
      },
      {
        clusterID: 'paris',
        verdict: 'candidate',
        score: '78.44',
        parts: { resources: '90.63', cost: '50.00' },
      },
      expect.objectContaining({ clusterID: 'rome', verdict: 'refused', reason: 'IsRequester' }),
    ])
  })

  it('7. what was granted is locked', async () => {
    const operator = await federation().broker.anOperator()

    const { resources } = await operator.getCluster('berlin')

    expect(resources).toMatchObject({
      reserved: { cpu: '2', memory: '4Gi' },
      available: { cpu: '6', memory: '28Gi' },
    })
  })

  it('8. the request says who lends, and where that is', async () => {
    const status = await inCluster('rome').phase('job', 'Reserved')

    expect(status).toMatchObject({
      targetClusterID: 'berlin',
      targetClusterEndpoint: federation().cluster('berlin').controlPlane.url,
      message: 'Reserved on berlin',
      conditions: [{ type: 'Ready', status: 'True' }],
    })
  })

  it('9. both sides are told', async () => {
    const held = await inCluster('berlin').lends(
      `${reservation}-provider`,
      ({ status }) => status?.enforced === true,
    )
    const [used] = await inCluster('rome').borrowed()

    expect(held.spec).toMatchObject({
      requesterClusterID: 'rome',
      message: 'Hold 2 CPU, 4Gi Memory for rome',
    })
    expect(used?.spec?.message).toBe('Use berlin for 2 CPU, 4Gi Memory')
    expect(await inCluster('paris').lent()).toEqual([])
    await expect
      .poll(() => saidBy('rome'))
      .toEqual(
        expect.arrayContaining([
          'broker client initialised rome',
          'reservation watcher started rome',
          `reservation fulfilled rome ${reservation} berlin`,
          `ReservationInstruction created rome ${reservation} berlin`,
          `Use berlin for 2 CPU, 4Gi Memory rome ${reservation} berlin`,
        ]),
      )
    await expect
      .poll(() => saidBy('berlin'))
      .toEqual(
        expect.arrayContaining([
          `provider reservation received berlin ${reservation} rome`,
          `provider instruction enforced berlin ${reservation} rome`,
        ]),
      )
  })

  it('10. without peering it is delivered at once, and in use when a user says so', async () => {
    const delivered = async () => (await inCluster('rome').borrowed())[0]?.status?.delivered
    await eventually('it is delivered', delivered)

    await (await federation().broker.aClient('rome')).activate(reservation)

    const status = await inCluster('rome').phase('job', 'Active')
    expect(status.message).toBe('In use on berlin')
  })

  it('11. deleting the request gives all of it back', async () => {
    await inCluster('rome').remove('job')
    await inCluster('rome').gone('job')

    const operator = await federation().broker.anOperator()
    const isFree = async () => (await inCluster('berlin').lent()).length === 0
    await eventually('berlin holds nothing', isFree)
    // It was in use, so it counts until berlin's next advertisement says that it saw the end.
    const isWhole = async () => {
      const { available, allocatable } = (await operator.getCluster('berlin')).resources
      return isDeepStrictEqual(available, allocatable)
    }
    await eventually('all of berlin is available', isWhole, 60_000)
    const isDone = async () => (await inCluster('rome').borrowed()).length === 0
    await eventually('rome has nothing to use any more', isDone)
    expect((await operator.getReservation(reservation)).status).toMatchObject({
      phase: 'Released',
      reason: 'Released',
    })
  })

  it('12. a second request for one node waits no longer than until the first is heard of', async () => {
    const rome = await federation().broker.aClient('rome')
    const onOneNode = (requestId: string) =>
      rome.requestReservation({
        ...{ requestedResources: { cpu: '6' }, targetClusterID: 'paris', oneNode: true },
        requestId,
      })

    const first = await onOneNode('a')
    // Of two nodes with eight cores each one may be taken, until paris advertises again. It does
    // so since it holds something new: its next heartbeat is in an hour.
    const second = await eventually('the other node is known to be free', async () => {
      const outcome = await onOneNode('b')
      return outcome.kind === 'reserved' ? outcome : undefined
    })

    expect([first, second]).toMatchObject([
      { reservation: { targetClusterID: 'paris', oneNode: true } },
      { reservation: { targetClusterID: 'paris', oneNode: true } },
    ])
  })

  /** Each line of its agent's log, with whom and what it is about. */
  function saidBy(id: string): string[] {
    // The last one may be there in part only.
    const lines = federation().cluster(id).agent.logs().split('\n').slice(0, -1)
    return lines.map((line) => {
      const { msg, clusterID, reservation: about, target, requester } = JSON.parse(line)
      return [msg, clusterID, about, target ?? requester].filter(Boolean).join(' ')
    })
  }
})
