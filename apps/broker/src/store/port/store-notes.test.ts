import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeNotesContract } from './store-notes.contract.ts'
import { createFileNotes, noteFile } from './store-notes.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bourse-notes-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe('notes in files', () => {
  storeNotesContract(async () => createFileNotes(directory))

  it('are for their owner alone, and leave nothing else behind', async () => {
    await createFileNotes(directory).write('proof-key', 'a key')

    expect(statSync(noteFile(directory, 'proof-key')).mode & 0o777).toBe(0o600)
    expect(readdirSync(directory)).toEqual(['bourse.proof-key'])
  })
})
