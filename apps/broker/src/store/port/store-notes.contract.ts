import { expect, it } from 'vitest'
import type { StoreNotes } from './store-notes.ts'

/** What every store promises of its notes; `open` gives the same ones again. */
export function storeNotesContract(open: () => Promise<StoreNotes>): void {
  it('keeps what was written, for the next who opens it', async () => {
    const notes = await open()
    expect(await notes.read('proof-key')).toBeUndefined()

    await notes.write('proof-key', 'a key')

    expect(await notes.read('proof-key')).toBe('a key')
    expect(await (await open()).read('proof-key')).toBe('a key')
    expect(await notes.read('rolled-back')).toBeUndefined()
  })

  it('replaces what was there', async () => {
    const notes = await open()
    await notes.write('proof-key', 'before')

    await notes.write('proof-key', 'after')

    expect(await notes.read('proof-key')).toBe('after')
  })

  it('removes, also what is not there, and takes it again', async () => {
    const notes = await open()
    await notes.remove('rolled-back')
    await notes.write('rolled-back', 'once')

    await notes.remove('rolled-back')

    expect(await notes.read('rolled-back')).toBeUndefined()
    await notes.write('rolled-back', 'twice')
    expect(await notes.read('rolled-back')).toBe('twice')
  })
}
