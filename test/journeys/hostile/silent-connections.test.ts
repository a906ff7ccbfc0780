// Budget: 60 seconds.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { eventually, quietPorts, startBroker, type TestBroker } from '@bourse/testkit'
import { descriptorsOf, heldUpMsOf, rssMbOf } from '@bourse/testkit/process-usage'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { attackSize } from './attack-size.ts'
import type { Flood } from './flood-process.ts'
import { apiNewcomer, grpcNewcomer, type Newcomer, plainNewcomer, startFlood } from './newcomer.ts'

const size = attackSize({
  sample: { waves: 2, perWave: 1_000, everyMs: 1_500 },
  full: { waves: 4, perWave: 5_000, everyMs: 15_000 },
})
/** A second is promised. A sample beside other tests shows only that no caller has to wait for others. */
const ANSWERED_WITHIN_MS = attackSize({ sample: 5_000, full: 1_000 })
const BUSY_RATIO = attackSize({ sample: 20, full: 0 })
/** Of each kind, before the first attack: enough together for the broker to rest after them. */
const HONEST_REQUESTS = 250
const DESCRIPTORS_MORE = 50
/** After one attack, and after all of them one after the other. */
const MEMORY_MORE = 1.15
const MEMORY_MORE_AFTER_ALL = 1.3
/** Beside other tests the broker comes to rest later. */
const BACK_WITHIN_MS = attackSize({ sample: 120_000, full: 30_000 })

/** A record of TLS that announces a ClientHello, and not all of that. */
const HALF_A_HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'
const WHOLE_HELLO = await aHello()
const HALF_A_REQUEST = 'GET / HTTP/1.1\r\nHost: loc'
const others = ['grpc', 'page', 'probes', 'metrics']

describe('thousands of connections that never become a request', () => {
  let broker: TestBroker
  let doors: Record<string, { port: number; newcomer: Newcomer }>
  /** How long a newcomer waits at most when there is no attack. */
  let aloneMs = 0
  let beforeAllAttacks: ReturnType<typeof usage>

  beforeAll(async () => {
    const [grpc = 0, page = 0] = await quietPorts(2)
    const flags = [`--grpc-port=${grpc}`, `--dashboard-bind-address=127.0.0.1:${page}`]
    broker = await startBroker({
      flags: ['--broker-interface=http,grpc', '--log-level=debug', ...flags],
    })
    const portOf = (url: string) => Number(new URL(url).port)
    const { url, healthUrl, metricsUrl } = broker
    const pageUrl = `http://127.0.0.1:${page}/data/overview`
    doors = {
      api: { port: portOf(url), newcomer: await apiNewcomer(broker) },
      grpc: { port: grpc, newcomer: await grpcNewcomer(broker, grpc) },
      page: { port: page, newcomer: plainNewcomer(pageUrl) },
      probes: { port: portOf(healthUrl), newcomer: plainNewcomer(`${healthUrl}/healthz`) },
      metrics: { port: portOf(metricsUrl), newcomer: plainNewcomer(metricsUrl) },
    }
    // What honest work takes for good is not a trace of an attack, and what it takes for a while is gone.
    await Promise.all(Object.values(doors).map(useHonestly))
    await eventually('The broker has rested', () => /memory was released/.test(broker.logs()))
    beforeAllAttacks = usage()
  })
  afterAll(() => broker?.dispose())

  it.each<{ what: string; floods: [door: string, says: string][] }>([
    { what: 'say nothing to the API', floods: [['api', '']] },
    { what: 'say half a hello to the API', floods: [['api', HALF_A_HELLO]] },
    { what: 'say hello and nothing more', floods: [['api', WHOLE_HELLO]] },
    { what: 'say nothing to the other ports', floods: others.map((door) => [door, '']) },
    {
      what: 'say half a hello, or half a request, to the other ports',
      floods: others.map((door) => [door, door === 'grpc' ? HALF_A_HELLO : HALF_A_REQUEST]),
    },
  ])('those that $what keep no other caller out and leave nothing behind', async ({ floods }) => {
    const before = usage()
    const perWave = size.perWave / floods.length
    const attacks = floods.map(([name, says]) => flood(name, { ...size, perWave, says }))
    const heldUpBefore = heldUpMsOf(broker.pid)
    const longest = await Promise.all(attacks)
    const during = { ...usage(), heldUpMs: Math.round(heldUpMsOf(broker.pid) - heldUpBefore) }
    const endedAt = performance.now()
    const isBack = () => {
      const { descriptors, rssMb } = usage()
      return (
        descriptors <= beforeAllAttacks.descriptors + DESCRIPTORS_MORE &&
        rssMb <= before.rssMb * MEMORY_MORE &&
        rssMb <= beforeAllAttacks.rssMb * MEMORY_MORE_AFTER_ALL
      )
    }
    const back = eventually('Descriptors and memory are back', isBack, BACK_WITHIN_MS)
    await back.catch(() => undefined)
    const took = performance.now() - endedAt
    console.log(JSON.stringify({ longest, aloneMs, before, during, after: usage(), took }))

    await back
    // A busy machine is as slow without an attack.
    const withinMs = ANSWERED_WITHIN_MS + BUSY_RATIO * aloneMs
    for (const { waitedMs } of longest) expect(waitedMs).toBeLessThan(withinMs)
    expect(await broker.isReady()).toBe(true)
  })

  async function useHonestly({ newcomer }: { newcomer: Newcomer }): Promise<void> {
    for (let n = 0; n < HONEST_REQUESTS; n++) aloneMs = Math.max(aloneMs, await newcomer())
  }

  function usage() {
    return { descriptors: descriptorsOf(broker.pid), rssMb: Math.round(rssMbOf(broker.pid)) }
  }

  /** How long the newcomer waited who waited longest. */
  async function flood(name: string, how: Omit<Flood, 'port'>) {
    const door = doors[name]
    if (!door) throw new Error(`There is no door ${name}.`)
    const attack = startFlood({ ...how, port: door.port })
    onTestFinished(() => void attack.kill('SIGKILL'))
    let longestMs = 0
    while (attack.connected) {
      longestMs = Math.max(longestMs, await door.newcomer())
      await sleep(50)
    }
    return { name, waitedMs: Math.round(longestMs) }
  }
})

/** What a client says first, as it was recorded. */
async function aHello(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
  const [socket] = await once(server, 'connection')
  const [hello] = await once(socket, 'data')
  client.destroy()
  server.close()
  return hello.toString('latin1')
}
