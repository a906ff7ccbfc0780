// Budget: 120 seconds.
import { beforeAll, describe, expect, it } from 'vitest'
import { lookOut } from '../sighting.ts'
import { type Moment, setUp, teardown } from './moments.ts'
import { usePeers } from './use-peers.ts'

type Case = Readonly<{ at: Moment; killed: 'rome' | 'paris' }>

const everyCase = (moments: readonly Moment[]): Case[] =>
  moments.flatMap((at) => [
    { at, killed: 'rome' },
    { at, killed: 'paris' },
  ])
/** `make soak-peering` runs all of them. */
const isAll = process.env.PEERING_KILLS === 'all'
const some = (cases: readonly Case[], ...at: number[]) =>
  isAll ? cases : at.flatMap((nth) => cases[nth] ?? [])
const setUpCases = some(everyCase(setUp), 5, 8, 13)
const teardownCases = some(everyCase(teardown), 2, 13)

/** A peering ends with its last reservation here, so that each case begins with two strangers. */
describe('an agent that is killed in the midst of it', () => {
  const peers = usePeers({ agentFlags: () => ['--peering=native', '--peering-linger=0s'] })
  const { federation, inCluster, liqoIn, until, nodeOf, active, returned } = peers
  let before: Awaited<ReturnType<typeof peers.contents>>
  let nth = 0

  beforeAll(async () => {
    before = await peers.contents()
  })

  async function kill({ killed, at }: Case, seen: Promise<void>): Promise<void> {
    await seen
    const { agent } = federation().cluster(killed)
    await agent.kill()
    await agent.start()
    expect(agent.isRunning(), at.name).toBe(true)
  }
  const ask = async (name: string) =>
    inCluster('rome').ask(name, { cpu: '2', memory: '4Gi', duration: '1h' })
  const see = ({ at }: Case) => lookOut(inCluster(at.cluster).client, at)

  async function untilStrangers(): Promise<void> {
    await until('no agent is told to do anything', async () => {
      const told = [inCluster('rome').borrowed(), inCluster('paris').lent()]
      return (await Promise.all(told)).flat().length === 0 || undefined
    })
    await peers.untilAsBefore(before)
  }

  it.each(setUpCases)('goes on where it was: $killed, when $at.name', async (one) => {
    const name = `job-${nth++}`
    const { seen } = await see(one)
    await ask(name)
    await kill(one, seen)

    const { reservationName = '' } = await active(name)

    const { status } = await nodeOf(reservationName)
    expect(status?.allocatable).toMatchObject({ cpu: '2', memory: '4Gi' })
    expect(await liqoIn('rome').virtualNodes()).toHaveLength(1)
    expect(await liqoIn('paris').liqoQuotas()).toHaveLength(1)
    await inCluster('rome').remove(name)
    await untilStrangers()
  })

  it.each(teardownCases)('leaves nothing behind: $killed, when $at.name', async (one) => {
    const name = `job-${nth++}`
    await ask(name)
    await active(name)
    const { seen } = await see(one)

    await inCluster('rome').remove(name)
    await kill(one, seen)

    await returned(name)
    await untilStrangers()
  })
})
