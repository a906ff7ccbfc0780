import { execFileSync } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { advertisementKind } from '@bourse/contract/kinds'
import { conditionOf, type KubeObject } from '@bourse/kube'
import { eventually, repositoryRoot } from '@bourse/testkit'
import type { Instruction } from '@bourse/testkit/federation'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { useFederation } from './use-federation.ts'

type Advertisement = KubeObject<unknown, { conditions?: { type: string; status: 'True' }[] }>

/** rome borrows from paris, and both keep that, no matter which broker answers at the usual address. */
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
    await eventually('paris holds nothing', async () => (await lent()).length === 0, 60_000)
  })
  const isEnforced = ({ status }: Instruction) => status?.enforced === true
  const lent = () => inCluster('paris').lent()
  const borrowed = () => inCluster('rome').borrowed()

  const isKnown = (id: string) => async () => {
    const { items } = await (await federation().broker.anOperator()).listClusters()
    return items.some(({ clusterID }) => clusterID === id)
  }

  /** Another ledger stands where the broker's was; what it was is returned. */
  async function replaceLedger(prepare?: (aside: string) => void): Promise<string> {
    const { broker } = federation()
    const aside = `${broker.dataDir}-before-${reservation}`
    onTestFinished(() => rmSync(aside, { recursive: true, force: true }))
    await broker.stop()
    renameSync(broker.dataDir, aside)
    prepare?.(aside)
    await broker.restart()
    return aside
  }

  /** Lets an empty ledger stand in its place for a while. */
  async function withOther(act: () => Promise<void>) {
    const aside = await replaceLedger()
    await act()
    const { broker } = federation()
    await broker.stop()
    rmSync(broker.dataDir, { recursive: true })
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

  it('may add to what is there when it is a wrong one, and takes only that back', async () => {
    await withOther(async () => {
      await saysOfLedger('paris', 'False')
      await eventually('it knows paris', isKnown('paris'), 60_000)
      await inCluster('rome').ask('more', { cpu: '1', memory: '1Gi' })
      const more = await inCluster('rome').phase('more', 'Reserved')
      await inCluster('paris').lends(`${more.reservationName}-provider`, isEnforced)
      expect(await lent()).toHaveLength(2)

      await inCluster('rome').remove('more')
      await inCluster('rome').gone('more')

      await eventually('paris holds the first alone', async () => (await lent()).length === 1)
      expect((await borrowed()).map(({ metadata }) => metadata.name)).toEqual([reservation])
    })
  })

  it('is believed after a restore when an operator confirms its ledger', async () => {
    const { broker } = federation()
    const bourse = (...args: string[]) =>
      execFileSync(join(repositoryRoot, 'bin/bourse'), ['ledger', ...args], { stdio: 'pipe' })
    await replaceLedger((aside) => {
      const backup = join(aside, 'backup.jsonl')
      bourse('export', '--data-dir', aside, '--out', backup)
      bourse('import', backup, '--data-dir', broker.dataDir)
    })
    const said = await saysOfLedger('paris', 'False')
    const operator = await broker.anOperator()
    await operator.release({ id: reservation })
    expect(await lent()).toHaveLength(1)

    for (const id of ['paris', 'rome']) {
      const annotation = said.message?.split('annotate this object: ')[1] ?? ''
      const { kubectl } = federation().cluster(id).controlPlane
      await kubectl(['annotate', 'adv', 'cluster-advertisement', '--overwrite', annotation])
    }

    await eventually('paris holds nothing', async () => (await lent()).length === 0, 60_000)
    await inCluster('rome').phase('job', 'Released')
    await saysOfLedger('paris', 'True')
  })
})
