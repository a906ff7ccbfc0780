import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@bourse/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkRoundTrip, gathered } from '../../../fixtures/store/backup/export-round-trip.ts'
import { createFakeObjects } from '../../../fixtures/store/kubernetes/objects.ts'
import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import { aLedger } from '../../../fixtures/store/samples/ledger-samples.ts'
import { openKubernetesHistory } from '../kubernetes/kubernetes-history.ts'
import { openKubernetesJournal } from '../kubernetes/kubernetes-journal.ts'
import { REPLAY_SETTINGS } from '../opening/store-place.ts'
import { CompactedAway } from '../port/journal.ts'
import { openPostgresStore } from '../postgres/postgres-store.ts'
import { exportFrom } from './export-elsewhere.ts'

describe('an export of a shared store', () => {
  it('brings everything into an embedded one, from objects', async () => {
    const store = await aRing()

    await checkRoundTrip(store, scratchDir())
  })

  it('brings everything into an embedded one, from a database', async () => {
    const server = await startPostgres()
    onTestFinished(server.stop)
    const store = await openPostgresStore({ url: server.url, settings: REPLAY_SETTINGS })
    onTestFinished(store.close)

    await checkRoundTrip(store, scratchDir())
  })

  it('begins again when a broker has replaced what it was about to read', async () => {
    const store = await aRing()
    await aLedger(store.journal).found()
    let reads = 0
    const journal: typeof store.journal = {
      ...store.journal,
      read(from) {
        if (reads++ === 0) throw new CompactedAway(from, { index: 9, hash: '' })
        return store.journal.read(from)
      },
    }

    const { head } = await exportFrom({ ...store, journal }, gathered().into, scratchDir())

    expect([head.index, reads]).toEqual([1, 2])
  })

  it('is refused where there is none', async () => {
    const store = await aRing()

    const exported = exportFrom(store, gathered().into, scratchDir())

    await expect(exported).rejects.toThrow('There is no ledger in this store')
  })
})

async function aRing() {
  const place = { objects: createFakeObjects(), namespace: 'bourse', slots: 16 }
  const journal = await openKubernetesJournal(place)
  const history = await openKubernetesHistory({ ...place, cache: createMemoryHistory() })
  return { journal, history, secureHistory: history.secure, everything: history.everything }
}

function scratchDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-export-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}
