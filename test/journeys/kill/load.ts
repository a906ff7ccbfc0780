import type { Chance, Client } from '@bourse/testkit'
import type { Acknowledged } from './acknowledged.ts'
import { createProvider } from './provider.ts'
import { createRequester } from './requester.ts'

export type Caller = Readonly<{ clusterId: string; client: Client }>

/** One thing that a caller does from question to answer, however often it has to ask. */
export type Act = () => Promise<void>

export type Load = {
  /** Resolves when the first answer has come. */
  resume(): Promise<void>
  /** Resolves when every caller has the answer to its last question. */
  pause(): Promise<void>
  /** How many wait for an answer. */
  waiting(): number
}

type Ports = Readonly<{
  requesters: readonly Caller[]
  providers: readonly Caller[]
  acknowledged: Acknowledged
  chance: Chance
}>

/** Many clusters at once, each doing one thing after another. */
export function createLoad({ requesters, providers, acknowledged, chance }: Ports): Load {
  const acts = [
    ...requesters.map((caller) => createRequester(caller, acknowledged, chance)),
    ...providers.map((caller) => createProvider(caller, acknowledged, chance)),
  ]
  let running: Promise<PromiseSettledResult<void>[]> = Promise.resolve([])
  let isPaused = true
  let waiting = 0

  async function work(act: Act, answered: () => void): Promise<void> {
    while (!isPaused) {
      waiting += 1
      try {
        await act()
      } finally {
        waiting -= 1
      }
      answered()
    }
  }
  async function resume(): Promise<void> {
    isPaused = false
    const { promise, resolve } = Promise.withResolvers<void>()
    running = Promise.allSettled(acts.map((act) => work(act, resolve)))
    // No caller is answered: one that was refused for good tells why.
    await Promise.race([promise, running.then(pause)])
  }
  async function pause(): Promise<void> {
    isPaused = true
    for (const end of await running) if (end.status === 'rejected') throw end.reason
  }
  return { resume, pause, waiting: () => waiting }
}
