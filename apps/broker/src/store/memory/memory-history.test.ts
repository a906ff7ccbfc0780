import { describeHistory } from '../port/history.contract.ts'
import { createMemoryHistory } from './memory-history.fixture.ts'

describeHistory('memory', async () => ({
  history: createMemoryHistory(),
  cleanUp: async () => {},
}))
