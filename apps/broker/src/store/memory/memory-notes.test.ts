import { beforeEach, describe } from 'vitest'
import { storeNotesContract } from '../port/store-notes.contract.ts'
import { createMemoryNotes } from './memory-notes.fixture.ts'

describe('notes in memory', () => {
  let notes = createMemoryNotes()
  beforeEach(() => {
    notes = createMemoryNotes()
  })
  storeNotesContract(async () => notes)
})
