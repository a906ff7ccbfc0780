import { beforeEach, describe } from 'vitest'
import { createMemoryNotes } from '../../../fixtures/store/memory/memory-notes.ts'
import { storeNotesContract } from '../port/store-notes.contract.ts'

describe('notes in memory', () => {
  let notes = createMemoryNotes()
  beforeEach(() => {
    notes = createMemoryNotes()
  })
  storeNotesContract(async () => notes)
})
