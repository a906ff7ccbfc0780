import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { aConfigMap, aFile } from '../../fixtures/rollback/anchor-places.ts'
import { createFakeObjects } from '../../fixtures/store/kubernetes/objects.ts'
import { createMemoryJournal } from '../../fixtures/store/memory/memory-journal.ts'
import { createMemoryNotes } from '../../fixtures/store/memory/memory-notes.ts'
import { appendSome } from '../../fixtures/store/samples/journal-samples.ts'
import { NO_HEAD } from '../store/codec/batch.ts'
import { journalSlotKind, slotName } from '../store/kubernetes/kinds.ts'
import { openKubernetesJournal } from '../store/kubernetes/kubernetes-journal.ts'
import { acceptCommand } from './accept-command.ts'
import type { AnchorPlace } from './anchor-place.ts'
import { openRollback } from './open-guard.ts'

const log = pino({ level: 'silent' })
const accept = acceptCommand({ store: { kind: 'sqlite' }, dataDir: '/data' })

type Start = Readonly<{
  batches?: number
  notes?: ReturnType<typeof createMemoryNotes>
  anchorPlace?: AnchorPlace | undefined
}>

async function aStart({ batches = 3, notes = createMemoryNotes(), anchorPlace }: Start = {}) {
  const journal = createMemoryJournal()
  const head = batches === 0 ? await journal.head() : await appendSome(journal, batches)
  const opened = await openRollback({ store: { journal, notes }, log, accept, anchorPlace })
  const open = (ledgerId = 'ledger-1') =>
    opened.open({
      ledgerId,
      head: () => head,
      onRollback: () => {},
      isStillOurs: async () => true,
      onAccepted: () => {},
    })
  return { ...opened, open, head, notes }
}

const anchored = (index: number, hash: string, ledgerId = 'ledger-1') =>
  JSON.stringify({ ledgerId, index, hash })

describe('whether a ledger may be founded', () => {
  it('is so in a store that never held one', async () => {
    const { mayFound } = await aStart({ batches: 0 })

    await expect(mayFound()).resolves.toBeUndefined()
  })

  it('is not so where a key is left of one, or an anchor knows of one', async () => {
    const notes = createMemoryNotes()
    await (await aStart({ notes })).open()
    const emptied = await aStart({ batches: 0, notes })
    const anchorPlace = aFile(anchored(7, 'abc')).place
    const elsewhere = await aStart({ batches: 0, anchorPlace })

    await expect(emptied.mayFound()).rejects.toThrow('held a ledger')
    await expect(elsewhere.mayFound()).rejects.toThrow('ledger-1 at index 7')
  })
})

describe('whether a standby may lead', () => {
  it('is so while the store has what it read, or has compacted it', async () => {
    const { mayLead, head } = await aStart({ batches: 3 })

    await mayLead({ ledgerId: 'ledger-1', head })
    await mayLead({ ledgerId: 'ledger-1', head: NO_HEAD })
  })

  it.each([
    { name: 'ends before that', head: { index: 30, hash: 'abc' } },
    { name: 'has another batch there', head: { index: 2, hash: 'abc' } },
  ])('is not so where the store $name, and it is noted', async ({ head }) => {
    const { mayLead, notes } = await aStart({ batches: 3 })

    await expect(mayLead({ ledgerId: 'ledger-1', head })).rejects.toThrow('older copy')

    expect(await notes.read('rolled-back')).toContain(`"provenIndex":${head.index}`)
  })

  it('is not so where the slot of that batch is gone', async () => {
    const objects = createFakeObjects()
    const journal = await openKubernetesJournal({ objects, namespace: 'default' })
    const head = await appendSome(journal, 3)
    const read = () => objects.get(journalSlotKind, slotName(3))
    const older = { ...(await read()), spec: { index: 0, ring: 1_024 } }
    await objects.replace(journalSlotKind, older)
    const notes = createMemoryNotes()
    const { mayLead } = await openRollback({
      store: { journal, notes },
      log,
      accept,
      anchorPlace: undefined,
    })

    await expect(mayLead({ ledgerId: 'ledger-1', head })).rejects.toThrow('older copy')
  })
})

describe.each([
  { what: 'a file', anAnchor: aFile },
  { what: 'a ConfigMap', anAnchor: aConfigMap },
])('an anchor in $what', ({ anAnchor }) => {
  it('is written at the start and at the end', async () => {
    const { place: anchorPlace, text } = anAnchor()
    const { open, head } = await aStart({ anchorPlace })

    await (await open()).stop()

    expect(JSON.parse((await text()) ?? '')).toEqual({ ledgerId: 'ledger-1', ...head })
  })

  it('lets a store start that has gone on from it', async () => {
    const { place: anchorPlace } = anAnchor()
    await (await (await aStart({ batches: 2, anchorPlace })).open()).stop()

    const { open } = await aStart({ batches: 4, anchorPlace })

    const guard = await open()
    await guard.stop()
    expect(guard.trouble()).toBeUndefined()
  })

  it.each([
    { name: 'ends before it', text: anchored(4, 'abc'), said: /reached index 4.*ended at 3/ },
    { name: 'has another batch there', text: anchored(2, 'abc'), said: /batch 2 .*differs/ },
  ])('keeps a store from starting that $name, and notes it', async ({ text, said }) => {
    const { open, notes } = await aStart({ anchorPlace: anAnchor(text).place })

    const refusal = open()

    await expect(refusal).rejects.toThrow(said)
    await expect(refusal).rejects.toThrow('`bourse ledger accept-rollback --data-dir /data`')
    expect(await notes.read('rolled-back')).toContain('ledger-1')
  })

  it('of another ledger is no reason, and is replaced', async () => {
    const { place: anchorPlace, text } = anAnchor(anchored(40, 'abc', 'before'))
    const { open } = await aStart({ anchorPlace })

    await (await open()).stop()

    expect(await text()).toContain('ledger-1')
  })

  it.each(['what', '{"index":4}'])('that says %j is none', async (text) => {
    const { place: anchorPlace } = anAnchor(text)

    await expect(aStart({ anchorPlace })).rejects.toThrow(`${anchorPlace.name} is not an anchor`)
  })

  it('that cannot be read keeps the store from starting', async () => {
    const { place: anchorPlace, forbid } = anAnchor(anchored(1, 'abc'))
    forbid('read')

    await expect(aStart({ anchorPlace })).rejects.toThrow(
      `The anchor ${anchorPlace.name} cannot be read`,
    )
  })

  it('that cannot be written is a chore that fails, and does not stop the broker', async () => {
    const { place: anchorPlace, forbid } = anAnchor()
    forbid('write')
    const { open } = await aStart({ anchorPlace })

    const guard = await open()
    await guard.stop()

    expect(guard.chores()).toContain('The anchor cannot be written')
    expect(guard.trouble()).toBeUndefined()
  })
})

describe('an anchor in a file', () => {
  it('that is empty is none', async () => {
    await expect(aStart({ anchorPlace: aFile('').place })).rejects.toThrow('not an anchor')
  })
})

describe('an anchor in a ConfigMap', () => {
  it('that is empty was never written, and keeps what else is in it', async () => {
    const { place: anchorPlace, text, object } = aConfigMap('')
    const { open } = await aStart({ anchorPlace })

    await (await open()).stop()

    expect(await text()).toContain('ledger-1')
    expect(object()).toMatchObject({
      metadata: { labels: { kept: 'yes' } },
      data: { more: 'kept' },
    })
  })

  it('is not taken back by a leader that was frozen while another one led', async () => {
    const { again, text } = aConfigMap('')
    const frozen = await aStart({ batches: 2, anchorPlace: again() })
    const next = await aStart({ batches: 4, anchorPlace: again() })
    await (await next.open()).stop()

    const guard = await frozen.open()
    await guard.stop()

    expect(JSON.parse((await text()) ?? '')).toMatchObject({ index: 4 })
    expect(guard.chores()).toContain('another broker has noted index 4 there')
  })
})

it.each([
  { store: { kind: 'sqlite' } as const, flags: '--data-dir /data' },
  {
    store: { kind: 'postgres', url: 'postgres://u:secret@db/b' } as const,
    flags: '--store postgres',
  },
  {
    store: { kind: 'kubernetes', slots: 64 } as const,
    flags: '--store kubernetes --store-namespace own',
  },
  {
    store: { kind: 'kubernetes', slots: 64, namespace: 'books' } as const,
    flags: '--store kubernetes --store-namespace books',
  },
])('an older copy in $store.kind is accepted with $flags', ({ store, flags }) => {
  expect(acceptCommand({ store, dataDir: '/data' }, 'own')).toBe(
    `bourse ledger accept-rollback ${flags}`,
  )
})
