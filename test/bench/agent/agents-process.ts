import { once } from 'node:events'
import { createMachine, createMeters, createMetrics } from '@bourse/agent'
import { readAgentConfig } from '@bourse/agent/config'
import { createHttpBroker } from '@bourse/client'
import { eventually } from '@bourse/testkit'
import { createChance } from '../../../apps/cli/src/demo/chance.ts'
import type { City } from '../../../apps/cli/src/demo/cities.ts'
import { createSimulatedApi } from '../../../apps/cli/src/demo/simulated-api.ts'
import { createSimulatedLoad } from '../../../apps/cli/src/demo/simulated-load.ts'
import type { Identity } from '../harness/certificates.ts'
import { inTurn } from '../harness/in-turn.ts'

/** Agents as they are, on simulated clusters in which nothing happens; `many-agents.ts` starts it. */
export type AgentsOrder = Readonly<{ brokerUrl: string; identities: readonly Identity[] }>
export type AgentsReport = Readonly<{
  /** How many the broker knows, with nothing amiss. */
  well: number
  /** What they have published so far, all together. */
  sent: number
  troubles: readonly string[]
}>

const START_WITHIN_MS = 120_000

// Sent by `startCrowds`.
const [{ brokerUrl, identities }] = (await once(process, 'message')) as [AgentsOrder]
const troubles: string[] = []
let sent = 0
const machines = await Promise.all(identities.map(createAgent))
await inTurn(machines, async (machine, number) => {
  machine.start()
  const isKnown = () => machine.publishing().accepted !== undefined
  await eventually(`${identities[number]?.clusterId} is known`, isKnown, START_WITHIN_MS)
})
process.on('message', () => process.send?.(report()))
process.send?.({ kind: 'ready' })

function report(): AgentsReport {
  const isWell = ({ accepted, failure }: ReturnType<(typeof machines)[number]['publishing']>) =>
    accepted !== undefined && failure === undefined
  const well = machines.filter(({ publishing }) => isWell(publishing())).length
  return { well, sent, troubles }
}

async function createAgent({ clusterId, directory }: Identity, number: number) {
  const api = createSimulatedApi()
  createSimulatedLoad(cityOf(clusterId), createChance(number), api)
  const config = await configOf(clusterId, directory)
  return createMachine({
    config,
    described: { clusterId, ...config.described },
    client: api.client,
    broker: createHttpBroker({ url: brokerUrl, certPath: directory }),
    meters: { ...createMeters(createMetrics()), attempted },
    log: { debug: nothing, info: nothing, warn: complain, error: complain },
    crash: ({ message }) => complain(message),
  })
}

function cityOf(clusterId: string): City {
  return {
    clusterId,
    name: `Cluster ${clusterId}`,
    location: 'eu-south',
    pools: [{ count: 3, cpu: 16, memoryGi: 64 }],
    load: { usual: 0.5, swing: 0 },
    price: { cpu: '0.041', memory: '0.0052' },
  }
}

/** Everything by default, as most agents have it. */
async function configOf(clusterId: string, certPath: string) {
  const argv = [
    `--broker-url=${brokerUrl}`,
    `--broker-cert-path=${certPath}`,
    `--endpoint-url=https://${clusterId}.example:6443`,
  ]
  const read = await readAgentConfig({ argv, env: {} })
  if (read.kind === 'bad') throw new Error(read.problems.join(' '))
  return read.config
}

function attempted(): void {
  sent += 1
}

function nothing(): void {}

function complain(facts: unknown, message?: string): void {
  troubles.push(message ?? String(facts))
}
