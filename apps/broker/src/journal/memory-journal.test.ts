import { describeJournal } from './journal.contract.ts'
import { createMemoryBacking, createMemoryJournal } from './memory-journal.ts'

describeJournal('memory', async () => {
  const backing = createMemoryBacking()
  return { open: async () => createMemoryJournal(backing), cleanUp: async () => {} }
})
