import { describeHistory } from './history.contract.ts'
import { createMemoryHistory } from './memory-history.ts'

describeHistory('memory', async () => ({
  history: createMemoryHistory(),
  cleanUp: async () => {},
}))
