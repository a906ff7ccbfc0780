import {
  anAdvertisement,
  aRequest,
  type Client,
  eventually,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { bourseKinds } from '@bourse/testkit/control-plane'
import { objectsOf } from '@bourse/testkit/federation'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { liveAgent } from '../../fixtures/borrowing/agent-life.ts'
import { createMortal, type Death } from '../../fixtures/borrowing/mortal.ts'

/** More than any walk has steps: a death this late never comes. */
const STEPS_MAX = 40

describe('an agent that is killed between any two of its steps', () => {
  const controlPlane = useControlPlane({ kinds: bourseKinds })
  let broker: TestBroker
  let rome: Awaited<ReturnType<typeof objectsOf>>
  let client: Client
  let berlin: Client

  beforeAll(async () => {
    rome = await objectsOf(controlPlane().adminKubeconfig)
    broker = await startBroker({ flags: ['--rate-limit=0'] })
    client = await broker.aClient('rome')
    berlin = await broker.aClient('berlin')
    await client.publishAdvertisement(anAdvertisement('rome'))
    await berlin.publishAdvertisement(anAdvertisement('berlin'))
  })
  afterAll(async () => {
    await broker.dispose()
    await rome.client.close()
  })

  /** Plays the acts; when the agent dies, another one takes over where it left off. */
  async function play(death: Death, acts: readonly (() => Promise<unknown>)[]) {
    const mortal = createMortal(rome.client, client, death)
    let life = await liveAgent({ ...mortal })
    for (const act of acts) {
      const acted = act()
      const isOver = await Promise.race([acted, mortal.died.then(() => 'died')])
      if (isOver === 'died') {
        await life.stop()
        life = await liveAgent({ client: rome.client, broker: client })
      }
      await acted
    }
    await life.stop()
    return mortal
  }

  /** Every death in turn, until one is so late that the walk ends before it. */
  async function eachDeath(walk: (death: Death, name: string) => Promise<{ isDead(): boolean }>) {
    for (const when of ['before', 'after'] as const)
      for (let at = 1; at <= STEPS_MAX; at++)
        if (!(await walk({ at, when }, `job-${when}-${at}`)).isDead()) break
  }

  it('books once, renews once and gives all back, wherever a requester dies', async () => {
    let walks = 0
    await eachDeath(async (death, name) => {
      const mortal = await play(death, [
        () => rome.ask(name, { duration: '1h' }),
        () => rome.phase(name, 'Reserved'),
        () => rome.edit(name, { duration: '3h' }),
        () => rome.until(name, 'it is renewed', (status) => status.observedGeneration === 2),
        () => rome.remove(name),
        () => rome.gone(name),
        () =>
          eventually('no instruction is left', async () => (await rome.borrowed()).length === 0),
      ])

      const all = await client.listReservations({ role: 'requester', phases: ['Released'] })
      const live = await client.listReservations({ role: 'requester' })
      expect(all.items, mortal.deeds.join(', ')).toHaveLength(++walks)
      expect(live.items, mortal.deeds.join(', ')).toEqual([])
      return mortal
    })
    expect(walks).toBeGreaterThan(10)
  })

  it('holds once, follows and lets go, wherever a provider dies', async () => {
    let walks = 0
    await eachDeath(async (death) => {
      walks++
      let id = ''
      const mortal = await play(death, [
        async () => {
          const wanted = { targetClusterID: 'rome', duration: '1h' }
          const outcome = await berlin.requestReservation(aRequest({ cpu: '1' }, wanted))
          if (outcome.kind === 'reserved') id = outcome.reservation.id
        },
        () => rome.lends(`${id}-provider`, ({ status }) => status?.enforced === true),
        () => berlin.renew(id, '9h'),
        () =>
          rome.lends(
            `${id}-provider`,
            ({ spec, status, metadata }) =>
              Date.parse(spec?.expiresAt ?? '') > Date.now() + 8 * 3_600_000 &&
              status?.observedGeneration === metadata.generation,
          ),
        () => berlin.release({ id }),
        () => eventually('no instruction is left', async () => (await rome.lent()).length === 0),
      ])
      return mortal
    })
    expect(walks).toBeGreaterThan(6)
  })
})
