import { describe, expect, it } from 'vitest'
import { staled } from '../../../fixtures/store/samples/journal-samples.ts'
import { DamagedJournal, type SealedBatch } from '../port/journal.ts'
import { NO_HEAD, openBatch, sealBatch, sha256 } from './batch.ts'
import { EVENT_VERSION } from './event-codec.ts'

const events = [staled('paris'), staled('oslo')]
const sealed = sealBatch({ index: 1, writer: 'broker-a', previous: '', at: 5, events })

describe('a batch', () => {
  it('is a header line and a line for each event', () => {
    expect(sealed.text.split('\n')).toEqual([
      '{"v":1,"index":1,"writer":"broker-a","previous":"","at":5,"events":2}',
      '{"kind":"staled","at":1000,"clusterId":"paris"}',
      '{"kind":"staled","at":1000,"clusterId":"oslo"}',
    ])
  })

  it('needs the newer format only where something of it is inside', () => {
    const pair = { at: 5, id: 'ps-1', requester: 'rome', provider: 'paris' }
    const closed = { kind: 'peeringClosed', ...pair, reason: 'Closed' } as const

    const newer = sealBatch({ index: 1, writer: 'a', previous: '', at: 5, events: [closed] })

    expect(newer.text).toContain('{"v":2,')
    expect(openBatch(newer, NO_HEAD).events).toEqual([closed])
  })

  it('opens in every format from the first to the newest', () => {
    for (let version = 1; version <= EVENT_VERSION; version++) {
      const batch = withText(sealed.text.replace('"v":1', `"v":${version}`))

      expect(openBatch(batch, NO_HEAD).events).toEqual(events)
    }
  })

  it('opens to what was sealed', () => {
    expect(openBatch(sealed, NO_HEAD)).toEqual({ index: 1, writer: 'broker-a', at: 5, events })
  })

  it.each([
    {
      name: 'a changed text',
      batch: { ...sealed, text: sealed.text.replace('oslo', 'rome') },
      says: 'hash',
    },
    { name: 'another hash', batch: { ...sealed, hash: sha256('') }, says: 'hash' },
    { name: 'another index', batch: { ...sealed, index: 2 }, says: 'hole' },
    { name: 'another writer', batch: { ...sealed, writer: 'broker-b' }, says: 'another writer' },
    {
      name: 'another chain',
      batch: sealBatch({ index: 1, writer: 'a', previous: 'x', at: 5, events }),
      says: 'nothing',
    },
    {
      name: 'a lost event',
      batch: withText(sealed.text.replace(/\n[^\n]*$/, '')),
      says: '1 events',
    },
    {
      name: 'a header of another batch',
      batch: withText(sealed.text.replace('"index":1', '"index":9')),
      says: 'batch 9',
    },
    {
      name: 'a newer format',
      batch: withText(sealed.text.replace('"v":1', `"v":${EVENT_VERSION + 1}`)),
      says: 'newer broker',
    },
    {
      name: 'a format from before the first',
      batch: withText(sealed.text.replace('"v":1', '"v":0')),
      says: 'format 0',
    },
  ])('is refused with $name, and named', ({ batch, says }) => {
    const open = () => openBatch(batch, NO_HEAD)

    expect(open).toThrow(DamagedJournal)
    expect(open).toThrow(new RegExp(`Batch ${batch.index} .*${says}`))
  })
})

/** A forger of a text forges its hash as well. */
function withText(text: string): SealedBatch {
  return { ...sealed, text, hash: sha256(text) }
}
