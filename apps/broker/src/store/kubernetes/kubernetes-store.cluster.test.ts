import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BODY_BYTES_MAX } from '@bourse/contract'
import { createKubeClient, type Kind, type KubeClient, loadConnection } from '@bourse/kube'
import { brokerKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { checkRoundTrip } from '../../../fixtures/store/backup/export-round-trip.ts'
import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import {
  aBatch,
  appendSome,
  collect,
  staled,
  takeSnapshot,
} from '../../../fixtures/store/samples/journal-samples.ts'
import { NO_HEAD } from '../codec/batch.ts'
import { describeHistory } from '../port/history.contract.ts'
import { describeJournal } from '../port/journal.contract.ts'
import { storeNotesContract } from '../port/store-notes.contract.ts'
import { openKubernetesHistory } from './kubernetes-history.ts'
import { type KubernetesJournal, openKubernetesJournal } from './kubernetes-journal.ts'
import { createKubernetesNotes } from './kubernetes-store.ts'

const controlPlane = useControlPlane({ kinds: brokerKinds })
let client: KubeClient
beforeAll(async () => {
  const { adminKubeconfig } = controlPlane()
  client = createKubeClient(await loadConnection({ kubeconfig: adminKubeconfig }))
})
afterAll(() => client.close())

describeJournal('kubernetes', async () => {
  const namespace = await aNamespace()
  return {
    open: () => openKubernetesJournal({ objects: client, namespace }),
    cleanUp: async () => {},
  }
})

describe('notes on a real API server', () => {
  let namespace: string
  beforeEach(async () => {
    namespace = await aNamespace()
  })
  storeNotesContract(async () => createKubernetesNotes({ objects: client, namespace }))
})

describeHistory('kubernetes, on a real API server,', async () => {
  const place = { objects: client, namespace: await aNamespace() }
  const history = await openKubernetesHistory({ ...place, cache: createMemoryHistory() })
  return { history, cleanUp: async () => {} }
})

describe('the journal on a real API server', () => {
  it('fences a leader that slept for two rounds of the ring', async () => {
    const open = await aPlace(16)
    const [sleeper, other] = [await open(), await open()]
    const seen = await appendSome(sleeper, 3)
    for (let round = 0; round < 4; round++)
      await takeSnapshot(other, await appendSome(other, 8, 'broker-b'), [`round ${round}`])

    const late = await sleeper.append(aBatch(seen, { writer: 'sleeper' }))

    expect(late).toEqual({ kind: 'fenced', by: 'broker-b' })
    expect((await other.head()).index).toBe(35)
  })

  it('takes the largest event there can be: a whole body that does not compress', async () => {
    const journal = await (await aPlace(16))()
    const body = randomBytes((BODY_BYTES_MAX * 3) / 4).toString('base64')
    const batch = aBatch(NO_HEAD, { events: [staled(body)] })

    expect(await journal.append(batch)).toEqual({ kind: 'committed' })
    expect(await collect(journal.read(1))).toMatchObject([{ hash: batch.hash, text: batch.text }])
  })

  it('tells a standby what the leader appends, also after the watch was cut', async () => {
    const open = await aPlace(64)
    const [leader, standby] = [await open(), await open()]
    await appendSome(leader, 3)
    const standing = following(standby, 1)
    const head = await appendSome(leader, 3)
    await expect.poll(standing.told).toEqual([1, 2, 3, 4, 5, 6])

    await controlPlane().apiServer.kill()
    await controlPlane().apiServer.start()
    await standing.cut
    const batch = aBatch(head)
    await expect
      .poll(() => leader.append(batch))
      .toEqual({
        kind: 'committed',
      })

    await expect.poll(standing.told).toEqual([1, 2, 3, 4, 5, 6, 7])
    standing.stop()
    await standing.ended
  })

  it('knows nothing while the API server is away, and settles it with the same bytes', async () => {
    const journal = await (await aPlace(64))()
    const batch = aBatch(await appendSome(journal, 3))
    const { apiServer } = controlPlane()
    await apiServer.kill()

    const meanwhile = await journal.append(batch)
    await apiServer.start()

    expect(meanwhile).toMatchObject({ kind: 'unknown' })
    await expect
      .poll(() => journal.append(batch))
      .toEqual({
        kind: 'committed',
      })
    expect((await journal.head()).index).toBe(4)
  })
})

it('is exported from a real API server while its broker runs, and restored in a directory', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-export-'))
  onTestFinished(() => rmSync(scratch, { recursive: true }))
  const place = { objects: client, namespace: await aNamespace() }
  const journal = await openKubernetesJournal(place)
  const history = await openKubernetesHistory({ ...place, cache: createMemoryHistory() })
  const { secure: secureHistory, everything } = history

  await checkRoundTrip({ journal, history, secureHistory, everything }, scratch)
})

/** What a standby hears, until it is stopped; `cut`: the server has ended the first watch. */
function following(journal: KubernetesJournal, from: number) {
  const stopping = new AbortController()
  const { signal } = stopping
  const told: number[] = []
  const follow = async () => {
    for await (const { index } of journal.follow(from + told.length, signal)) told.push(index)
  }
  const cut = follow().catch(() => {})
  const ended = cut.then(async () => {
    // A server that has just started may end the next ones, too.
    while (!signal.aborted) await Promise.all([follow().catch(() => {}), sleep(100)])
  })
  return { told: () => told, cut, ended, stop: () => stopping.abort() }
}

async function aPlace(slots: number) {
  const place = { objects: client, namespace: await aNamespace(), slots }
  return () => openKubernetesJournal(place)
}

const namespaceKind: Kind = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

async function aNamespace(): Promise<string> {
  const name = `ledger-${randomUUID().slice(0, 8)}`
  const metadata = { name }
  await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata })
  return name
}
