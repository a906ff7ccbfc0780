import { parentPort, workerData } from 'node:worker_threads'
import type { StorePlace } from './disk/open-database.ts'
import { openStore } from './open-store.ts'
import { createStoreVerbs, DEFERRABLE } from './store-verbs.ts'
import { serve } from './threads/thread-call.ts'

const { dataDir, isCache } = workerData as StorePlace
const open = () => createStoreVerbs(openStore(dataDir, isCache))
if (parentPort) serve(parentPort, { open, deferrable: DEFERRABLE })
