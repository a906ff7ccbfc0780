import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import { describeHistory } from '../port/history.contract.ts'

describeHistory('memory', async () => ({
  history: createMemoryHistory(),
  cleanUp: async () => {},
}))
