import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createFakeObjects } from '../../fixtures/store/kubernetes/objects.ts'
import { appendSome } from '../../fixtures/store/samples/journal-samples.ts'
import type { Replica } from '../ledger/opening/open-replica.ts'
import { openKubernetesJournal } from '../store/kubernetes/kubernetes-journal.ts'
import { CompactedAway, DamagedJournal, type Journal } from '../store/port/journal.ts'
import { startFollower } from './follower.ts'

describe('startFollower', () => {
  it('keeps the replica up to date, also after the watch was cut', async () => {
    const { journal, objects, follow } = await aStandby()
    const { follower } = follow(journal)
    await follower.warm
    await appendSome(journal, 3)
    await expect.poll(follower.index).toBe(3)

    objects.cutWatches()
    await appendSome(journal, 2)

    await expect.poll(follower.index).toBe(5)
    expect((await follower.stop())?.head().index).toBe(5)
  })

  it('opens the replica anew when it has fallen too far behind', async () => {
    const { journal, follow } = await aStandby()
    let calls = 0
    const { follower, opened } = follow({
      follow: (from, signal) => {
        if (calls++ === 0) throw new CompactedAway(1, { index: 9, hash: '' })
        return journal.follow(from, signal)
      },
    })

    await expect.poll(() => opened.length).toBe(2)

    expect(opened[0]?.isClosed).toBe(true)
    await follower.stop()
  })

  it('says why it hears nothing, and tries again', async () => {
    const { journal, follow } = await aStandby()
    let isAway = true
    const { follower } = follow({
      follow: (from, signal) => {
        if (isAway) throw new Error('The API server is away.')
        return journal.follow(from, signal)
      },
    })

    await expect.poll(follower.trouble).toBe('The API server is away.')
    isAway = false
    await appendSome(journal, 1)

    await expect.poll(follower.index).toBe(1)
    expect(follower.trouble()).toBeUndefined()
    await follower.stop()
  })

  it('does not go on with a damaged journal', async () => {
    const { follow } = await aStandby()

    const { follower, crashes } = follow({
      follow: () => {
        throw new DamagedJournal('Batch 7 is damaged')
      },
    })

    await expect.poll(() => crashes).toMatchObject([{ message: 'Batch 7 is damaged' }])
    await follower.stop()
  })
})

/** Replica that only count. */
async function aStandby() {
  const objects = createFakeObjects()
  const journal = await openKubernetesJournal({ objects, namespace: 'bourse' })
  const follow = (source: Pick<Required<Journal>, 'follow'>) => {
    const opened: { isClosed: boolean }[] = []
    const crashes: Error[] = []
    const open = async () => countingBooks(opened)
    const log = pino({ level: 'silent' })
    const crash = (cause: Error) => void crashes.push(cause)
    return { follower: startFollower({ journal: source, open, log, crash }), opened, crashes }
  }
  return { journal, objects, follow }
}

function countingBooks(opened: { isClosed: boolean }[]): Replica {
  const state = { isClosed: false }
  opened.push(state)
  let index = 0
  const replica: Pick<Replica, 'head' | 'take' | 'close'> = {
    head: () => ({ index, hash: '' }),
    take: (sealed) => {
      index = sealed.index
    },
    close: async () => {
      state.isClosed = true
    },
  }
  // A follower asks for no more than these.
  return replica as Replica
}
