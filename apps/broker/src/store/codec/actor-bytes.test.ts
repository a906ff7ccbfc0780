import type { Actor, Command } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { createMemoryJournal } from '../../../fixtures/store/memory/memory-journal.ts'
import { collect } from '../../../fixtures/store/samples/journal-samples.ts'
import { aLedger, replayed } from '../../../fixtures/store/samples/ledger-samples.ts'

const ana: Actor = { kind: 'operator', id: 'ana', door: 'rest', why: 'maintenance' }

/** rome borrows of paris, uses it, renews it and is done. */
async function aStory(by?: Actor) {
  const journal = createMemoryJournal()
  const { advertise, reserve, execute, head } = aLedger(journal)
  const give = (command: Command) => execute(by ? { ...command, by } : command)
  await advertise('paris', 8_000n)
  const { id } = await reserve(2_000n)
  await give({ kind: 'activate', id })
  await give({ kind: 'renew', id, durationMs: 60_000 })
  await give({ kind: 'release', id })
  await give({ kind: 'cordon', clusterId: 'paris' })
  await give({ kind: 'releaseRequest', door: 'rest', requester: 'rome', requestId: 'r1' })
  const texts = (await collect(journal.read(1))).map(({ text }) => text)
  return { journal, head: head(), texts, id }
}

describe('the journal', () => {
  it('of clusters that act for themselves is what it was before actors, to the byte', async () => {
    const { head, texts } = await aStory()

    expect(texts[4]?.split('\n')[1]).toBe(
      '{"kind":"released","at":1000,"reason":"Released","draining":true,"reservation":' +
        '{"id":"rsv--1","requester":"rome","door":"rest","wanted":{"cpu":2000},"priority":0,' +
        '"legs":[{"clusterId":"paris","resources":{"cpu":2000}}],"phase":"Released",' +
        '"createdAt":1000,"startsAt":1000,"decidedIndex":2,"changedIndex":5,"expiresAt":61000,' +
        '"activatedAt":1000,"endedAt":1000,"reason":"Released"}}',
    )
    // Of the same story as the version before wrote it: each hash covers all that came earlier.
    expect(head.hash).toBe('257c9a06c08c18766ffeee912bb1863df35f0ab6f01ddd35fc2fb3409b423ae3')
  })

  it('names an operator in every line that it made, and in the reservation that it ended', async () => {
    const { texts } = await aStory(ana)

    for (const text of texts.slice(2)) {
      expect(text).toContain('"by":"operator:ana@rest"')
      expect(text).toContain('"why":"maintenance"')
    }
    expect(texts[4]).toContain('"endedBy":"operator:ana@rest","endedWhy":"maintenance"')
  })

  it('is of the new format only where the version before would lose who ended what', async () => {
    const { texts } = await aStory(ana)

    expect(texts.map((text) => text.slice(0, 6))).toEqual([
      ...['{"v":1', '{"v":1', '{"v":1', '{"v":1'],
      ...['{"v":3', '{"v":1', '{"v":1'],
    ])
  })

  it('brings them back by replay', async () => {
    const { journal, id } = await aStory(ana)

    const { ledger } = await replayed(journal)

    expect(ledger.reservation(id)).toMatchObject({
      endedBy: 'operator:ana@rest',
      endedWhy: 'maintenance',
    })
  })
})
