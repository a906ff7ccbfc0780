import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appendSome } from '../journal/journal-samples.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { createMemoryNotes } from '../journal/store-notes.ts'
import { openRollback } from './open-guard.ts'

const log = pino({ level: 'silent' })

async function aStart({ batches = 3, notes = createMemoryNotes(), anchorPath = '' } = {}) {
  const journal = createMemoryJournal()
  const head = batches === 0 ? await journal.head() : await appendSome(journal, batches)
  const opened = await openRollback({
    ...{ store: { journal, notes }, log },
    anchorPath: anchorPath === '' ? undefined : anchorPath,
  })
  const open = (ledgerId = 'ledger-1') =>
    opened.open({ ledgerId, head: () => head, onRollback: () => {} })
  return { ...opened, open, head, notes }
}

function anAnchor(text?: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'bourse-anchor-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'anchor.json')
  if (text !== undefined) writeFileSync(path, text)
  return path
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
    const elsewhere = await aStart({ batches: 0, anchorPath: anAnchor(anchored(7, 'abc')) })

    await expect(emptied.mayFound()).rejects.toThrow('held a ledger')
    await expect(elsewhere.mayFound()).rejects.toThrow('ledger-1 at index 7')
  })
})

describe('an anchor', () => {
  it('is written at the start and at the end', async () => {
    const anchorPath = anAnchor()
    const { open, head } = await aStart({ anchorPath })

    await (await open()).stop()

    expect(JSON.parse(readFileSync(anchorPath, 'utf8'))).toEqual({ ledgerId: 'ledger-1', ...head })
  })

  it('lets a store start that has gone on from it', async () => {
    const anchorPath = anAnchor()
    await (await (await aStart({ batches: 2, anchorPath })).open()).stop()

    const { open } = await aStart({ batches: 4, anchorPath })

    const guard = await open()
    await guard.stop()
    expect(guard.trouble()).toBeUndefined()
  })

  it.each([
    { name: 'ends before it', text: anchored(4, 'abc'), said: /reached index 4.*ended at 3/ },
    { name: 'has another batch there', text: anchored(2, 'abc'), said: /batch 2 .*another one/ },
  ])('keeps a store from starting that $name, and notes it', async ({ text, said }) => {
    const { open, notes } = await aStart({ anchorPath: anAnchor(text) })

    await expect(open()).rejects.toThrow(said)

    expect(await notes.read('rolled-back')).toContain('ledger-1')
  })

  it('of another ledger is no reason, and is replaced', async () => {
    const anchorPath = anAnchor(anchored(40, 'abc', 'before'))
    const { open } = await aStart({ anchorPath })

    await (await open()).stop()

    expect(readFileSync(anchorPath, 'utf8')).toContain('ledger-1')
  })

  it.each(['', 'what', '{"index":4}'])('that says %j is none', async (text) => {
    await expect(aStart({ anchorPath: anAnchor(text) })).rejects.toThrow('not an anchor')
  })

  it('that cannot be written is a chore that fails, and stops nobody', async () => {
    const { open } = await aStart({ anchorPath: join(anAnchor(), 'below', 'anchor.json') })

    const guard = await open()
    await guard.stop()

    expect(guard.chores()).toContain('The anchor cannot be written')
    expect(guard.trouble()).toBeUndefined()
  })
})
