import type { Chance, Client } from '@bourse/testkit'
import type { Acknowledged } from './acknowledged.ts'
import { createProvider } from './provider.ts'
import { createRequester } from './requester.ts'

export type Caller = Readonly<{ clusterId: string; client: Client }>

/** One thing that a caller does from question to answer, however often it has to ask. */
export type Act = () => Promise<void>

export type Load = {
  resume(): void
  /** Resolves when everybody has the answer to what they asked last. */
  pause(): Promise<void>
  inFlight(): number
  answered(): number
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
  let inFlight = 0
  let answered = 0

  async function work(act: Act): Promise<void> {
    while (!isPaused) {
      inFlight += 1
      await act()
      inFlight -= 1
      answered += 1
    }
  }
  function resume(): void {
    isPaused = false
    running = Promise.allSettled(acts.map(work))
  }
  async function pause(): Promise<void> {
    isPaused = true
    for (const end of await running) if (end.status === 'rejected') throw end.reason
  }
  return { resume, pause, inFlight: () => inFlight, answered: () => answered }
}
