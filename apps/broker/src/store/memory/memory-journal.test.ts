import { describeJournal } from '../port/journal.contract.ts'
import { createMemoryBacking, createMemoryJournal } from './memory-journal.fixture.ts'

describeJournal('memory', async () => {
  const backing = createMemoryBacking()
  return { open: async () => createMemoryJournal(backing), cleanUp: async () => {} }
})
