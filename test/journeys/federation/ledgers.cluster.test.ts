import { renameSync } from 'node:fs'
import { advertisementKind } from '@bourse/contract/kinds'
import { conditionOf, type KubeObject } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Instruction } from './agent-objects.ts'
import { useFederation } from './use-federation.ts'

type Advertisement = KubeObject<unknown, { conditions?: { type: string; status: 'True' }[] }>

/** rome borrows from paris, and both keep that, whatever broker answers at the usual address. */
describe('a broker that is not the one it was', () => {
  const { federation, inCluster } = useFederation({ clusters: ['rome', 'paris'] })
  let reservation = ''

  beforeEach(async () => {
    await inCluster('rome').ask('job', { duration: '1h' })
    reservation = (await inCluster('rome').phase('job', 'Reserved')).reservationName ?? ''
    await inCluster('paris').lends(`${reservation}-provider`, isEnforced)
  })
  afterEach(async () => {
    await inCluster('rome').remove('job')
    await inCluster('rome').gone('job')
    await eventually('paris holds nothing', async () => (await lent()).length === 0, 30_000)
  })
  const isEnforced = ({ status }: Instruction) => status?.enforced === true
  const lent = () => inCluster('paris').lent()
  const borrowed = () => inCluster('rome').borrowed()

  /** Stops the broker, lets another ledger stand in its place, and puts the first one back. */
  async function withOther(act: () => Promise<void>) {
    const { broker } = federation()
    const aside = `${broker.dataDir}-aside`
    await broker.stop()
    renameSync(broker.dataDir, aside)
    await broker.restart()
    await act()
    await broker.stop()
    renameSync(broker.dataDir, `${aside}-other-${reservation}`)
    renameSync(aside, broker.dataDir)
    await broker.restart()
  }

  /** What the Advertisement of a cluster says about the ledger that its broker answers from. */
  const saysOfLedger = (id: string, status: string) =>
    eventually(
      `${id} says LedgerConfirmed=${status}`,
      async () => {
        const { client } = inCluster(id)
        const name = 'cluster-advertisement'
        const found = await client.get<Advertisement>(advertisementKind, name, 'default')
        const said = conditionOf(found.status?.conditions, 'LedgerConfirmed')
        return said?.status === status ? said : undefined
      },
      60_000,
    )

  it('tears nothing down when it is empty', async () => {
    await withOther(async () => {
      const said = await saysOfLedger('paris', 'False')

      expect(said.message).toContain('1 instruction of ledger')
      expect((await lent()).map(({ spec }) => spec?.reservationName)).toEqual([reservation])
      expect((await borrowed()).map(({ metadata }) => metadata.name)).toEqual([reservation])
      expect((await inCluster('rome').request('job'))?.status?.phase).toBe('Reserved')
    })
    await saysOfLedger('paris', 'True')
  })
})
