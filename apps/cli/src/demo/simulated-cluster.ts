import { createMachine, createMeters, createMetrics } from '@bourse/agent'
import { readAgentConfig } from '@bourse/agent/config'
import type { BrokerCommunicator } from '@bourse/client'
import type { Chance } from './chance.ts'
import type { City } from './cities.ts'
import { createSimulatedApi } from './simulated-api.ts'
import { createSimulatedLoad } from './simulated-load.ts'

type Ports = Readonly<{
  city: City
  broker: BrokerCommunicator
  /** Where the broker is, and who we are to it. */
  address: Readonly<{ url: string; certPath: string }>
  chance: Chance
  signal: AbortSignal
  /** Something went wrong on the way to the broker; the cluster carries on by itself. */
  onTrouble(clusterId: string, error: Error): void
}>

const STEP_MIN_MS = 2_000
const STEP_MAX_MS = 4_000
const LOOK_MS = 20

/** A city: the agent as it is, on a cluster of which only nodes, pods and objects are made up. */
export async function createSimulatedCluster(ports: Ports) {
  const { city, chance, signal, onTrouble } = ports
  const api = createSimulatedApi()
  const load = createSimulatedLoad(city, chance, api)
  const endpointUrl = `https://${city.clusterId}.example:6443`
  const config = await configOf(city, ports.address)
  const trouble = (words: string) => onTrouble(city.clusterId, new Error(words))
  const machine = createMachine({
    config,
    described: { clusterId: city.clusterId, ...config.described },
    stated: { url: endpointUrl, source: 'Flag' },
    client: api.client,
    broker: tapped(ports.broker, load.host),
    meters: createMeters(createMetrics()),
    log: quietLog(trouble),
    crash: (cause) => trouble(cause.message),
  })

  return {
    /** Resolves when the broker knows it. */
    async start(): Promise<void> {
      machine.start()
      while (!machine.publishing().accepted && !signal.aborted) await pause(LOOK_MS, signal)
      void live()
    },
    stop: machine.stop,
  }

  async function live(): Promise<void> {
    while (!signal.aborted) {
      await pause(chance.between(STEP_MIN_MS, STEP_MAX_MS), signal)
      if (!signal.aborted) load.step()
    }
  }
}

/** The pods of a reservation begin to run when it is in use, which only the broker's answer tells. */
function tapped(
  broker: BrokerCommunicator,
  host: ReturnType<typeof createSimulatedLoad>['host'],
): BrokerCommunicator {
  return {
    ...broker,
    async *watchInstructions(options) {
      for await (const answer of broker.watchInstructions(options)) {
        host(answer.instructions)
        yield answer
      }
    },
  }
}

async function configOf(city: City, { url, certPath }: Ports['address']) {
  const { price } = city
  const argv = [
    `--broker-url=${url}`,
    `--broker-cert-path=${certPath}`,
    `--cluster-name=${city.name}`,
    `--location=${city.location}`,
    ...(city.labels === undefined ? [] : [`--labels=${city.labels}`]),
    `--visibility=${city.isOpen ? 'full' : 'summary'}`,
    `--cpu-cost=${price.cpu}`,
    `--memory-cost=${price.memory}`,
    ...(price.gpu === undefined ? [] : [`--gpu-cost=${price.gpu}`]),
    '--advertisement-requeue-interval=10s',
  ]
  const read = await readAgentConfig({ argv, env: {} })
  if (read.kind === 'bad') throw new Error(read.problems.join(' '))
  return read.config
}

/** Eight agents would fill the screen: only what is amiss is told. */
function quietLog(trouble: (words: string) => void) {
  const nothing = () => {}
  const tell = (facts: unknown, message?: string) => trouble(message ?? String(facts))
  return { debug: nothing, info: nothing, warn: tell, error: tell }
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
