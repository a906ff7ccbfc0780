import {
  createMemoryBacking,
  createMemoryJournal,
} from '../../../fixtures/store/memory/memory-journal.ts'
import { describeJournal } from '../port/journal.contract.ts'

describeJournal('memory', async () => {
  const backing = createMemoryBacking()
  return { open: async () => createMemoryJournal(backing), cleanUp: async () => {} }
})
