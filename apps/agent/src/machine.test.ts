import type { BrokerCommunicator, InstructionsAnswer, WatchOptions } from '@bourse/client'
import { createKubeClient } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'
import { aNode } from '@bourse/testkit/control-plane'
import { fixedConnection } from '@bourse/testkit/fixed-connection'
import { startMakeshiftApiServer } from '@bourse/testkit/makeshift-api-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readAgentConfig } from './config/index.ts'
import { createMachine } from './machine.ts'
import { createMeters } from './runtime/meters.ts'
import { createMetrics } from './runtime/metrics.ts'

const BROKER = ['--broker-url=https://broker.example:8443', '--broker-cert-path=/certs']

let certificates: TestCertificates
let certPath = ''
beforeAll(async () => {
  certificates = await makeTestCertificates()
  const usages = ['server', 'client'] as const
  certPath = await certificates.forLeaf('api', { commonName: 'api', usages, ip: ['127.0.0.1'] })
})
afterAll(() => certificates.dispose())

describe('the machine of an agent', () => {
  it('asks a broker that cannot be waited on as often as the flag says, on both sides', async () => {
    const { asked } = await working(['--instruction-poll-interval=700ms'])

    await eventually('both sides ask', async () => asked.length === 2)

    expect(asked.toSorted()).toEqual(['instructions every 700', 'reservations every 700'])
  })

  it('advertises at once to a broker of another ledger', async () => {
    const { published, answer } = await working(['--advertisement-requeue-interval=1h'])
    await eventually('it is published', async () => published.length === 1)

    answer({ ledgerId: 'L2', index: 1, instructions: [] })

    await eventually('it is published again', async () => published.length === 2)
  })

  it('advertises at once to a new leader of the same ledger', async () => {
    const { published, answer } = await working(['--advertisement-requeue-interval=1h'])
    await eventually('it is published', async () => published.length === 1)

    answer({ ledgerId: 'L1', index: 1, term: 'T2', instructions: [] })

    await eventually('it is published again', async () => published.length === 2)
  })

  it('says which nodes it leaves out', async () => {
    const { lines } = await working([])

    await eventually('it says what it counts', async () =>
      lines.some((line) => /counted/.test(line)),
    )

    expect(lines).toContain('0 nodes counted, left out: 1 not ready.')
  })
})

describe('the machine of an agent that waits for its API server', () => {
  it('can be stopped without having failed', async () => {
    const crashes: Error[] = []
    const machine = await aMachine([], { lists: {}, crash: (cause) => crashes.push(cause) })
    machine.server.close()

    machine.start()
    await machine.stop()

    expect(crashes).toEqual([])
  })
})

/** A machine at work on a cluster of one node, and a broker that says what a test lets it say. */
async function working(flags: readonly string[]) {
  const machine = await aMachine(flags, { lists: { nodes: [aNode('node-1')] } })
  machine.start()
  onTestFinished(machine.stop)
  return machine
}

type World = Readonly<{ lists: Record<string, object[]>; crash?(cause: Error): void }>

async function aMachine(flags: readonly string[], { lists, crash = rethrow }: World) {
  const server = await startMakeshiftApiServer(certPath, lists)
  const client = createKubeClient(fixedConnection(server.credentials))
  const read = await readAgentConfig({ argv: [...BROKER, ...flags], env: {} })
  if (read.kind === 'bad') throw new Error(read.problems.join('\n'))
  const scripted = aBroker()
  const lines: string[] = []
  const say = (facts: unknown, message?: string) => void lines.push(message ?? String(facts))
  const log = { debug: say, info: say, warn: say, error: say }
  const machine = createMachine({
    config: read.config,
    described: { clusterId: 'rome', visibility: 'full' },
    client,
    broker: scripted.broker,
    meters: createMeters(createMetrics()),
    log,
    crash,
  })
  onTestFinished(async () => {
    await client.close()
    server.close()
  })
  return { ...scripted, ...machine, server, lines }
}

function rethrow(cause: Error): never {
  throw cause
}

function aBroker() {
  const asked: string[] = []
  const published: unknown[] = []
  let told = Promise.withResolvers<InstructionsAnswer>()

  async function* watch<T>(what: string, { pollMs, signal }: WatchOptions, next: () => Promise<T>) {
    asked.push(`${what} every ${pollMs}`)
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve())
    })
    while (!signal.aborted) {
      const answer = await Promise.race([next(), aborted])
      if (answer) yield answer
    }
  }
  async function nextAnswer(): Promise<InstructionsAnswer> {
    const answer = await told.promise
    told = Promise.withResolvers()
    return answer
  }
  const broker = {
    watchInstructions: (options: WatchOptions) => watch('instructions', options, nextAnswer),
    watchReservations: (options: WatchOptions) =>
      watch('reservations', options, () => new Promise<never>(() => {})),
    async publishAdvertisement(advertisement: unknown) {
      published.push(advertisement)
      return { ledgerId: 'L1', index: published.length, instructions: [], advertisement }
    },
  }
  return {
    asked,
    published,
    answer: (answer: InstructionsAnswer) => told.resolve(answer),
    // Without ResourceRequests the machine calls nothing else.
    broker: broker as unknown as BrokerCommunicator,
  }
}
