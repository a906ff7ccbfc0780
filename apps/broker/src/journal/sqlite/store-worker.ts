import { parentPort, workerData } from 'node:worker_threads'
import { openStore } from './open-store.ts'
import { createStoreVerbs, PATIENT } from './store-verbs.ts'
import { serve } from './thread-call.ts'

const { dataDir } = workerData as Readonly<{ dataDir: string }>
if (parentPort)
  serve(parentPort, { open: () => createStoreVerbs(openStore(dataDir)), patient: PATIENT })
