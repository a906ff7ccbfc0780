import type { BrokerCommunicator } from '@bourse/client'
import type { Chance } from './chance.ts'
import type { City } from './cities.ts'
import { createSimulatedLoad } from './simulated-load.ts'

type Ports = Readonly<{
  city: City
  broker: BrokerCommunicator
  chance: Chance
  signal: AbortSignal
  /** Something went wrong on the way to the broker; the cluster carries on by itself. */
  onTrouble(clusterId: string, error: Error): void
}>

const PUBLISH_MIN_MS = 2_000
const PUBLISH_MAX_MS = 4_000

/** A city's agent: publishes what it has, and hosts what the broker tells it to. */
export function createSimulatedCluster({ city, broker, chance, signal, onTrouble }: Ports) {
  const load = createSimulatedLoad(city, chance)
  let seenIndex: number | undefined

  return { publish, run }

  async function publish(): Promise<void> {
    const published = await broker.publishAdvertisement(load.advertisement(seenIndex))
    apply(published)
  }

  /** Until the signal says stop. */
  async function run(): Promise<void> {
    await Promise.all([keepPublishing(), followInstructions()])
  }

  async function keepPublishing(): Promise<void> {
    while (!signal.aborted) {
      await pause(chance.between(PUBLISH_MIN_MS, PUBLISH_MAX_MS), signal)
      if (signal.aborted) return
      load.step()
      await publish().catch((error: Error) => onTrouble(city.clusterId, error))
    }
  }

  async function followInstructions(): Promise<void> {
    const answers = broker.watchInstructions({
      signal,
      onTrouble: (error) => onTrouble(city.clusterId, error),
    })
    for await (const answer of answers) apply(answer)
  }

  function apply(answer: Awaited<ReturnType<BrokerCommunicator['fetchInstructions']>>): void {
    load.host(answer.instructions)
    if (answer.index !== undefined) seenIndex = answer.index
  }
}

export function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(done, durationMs)
    signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}
