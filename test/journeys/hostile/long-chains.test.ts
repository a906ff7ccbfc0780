// Budget: 30 seconds.
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { quietPorts, startBroker, type TestBroker } from '@bourse/testkit'
import { rssMbOf } from '@bourse/testkit/process-usage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attackSize } from './attack-size.ts'
import { apiNewcomer, grpcNewcomer, type Newcomer } from './newcomer.ts'

/** Sixty kilobytes: TLS takes at most a hundred. Each handshake left half a megabyte behind. */
const CERTIFICATES = 120
const connections = attackSize({ sample: 150, full: 1_500 })
const MORE_MB_MAX = 40

describe('a caller that sends many certificates after its own, again and again', () => {
  let broker: TestBroker
  let doors: Record<string, Newcomer>

  beforeAll(async () => {
    const [grpc = 0] = await quietPorts(1)
    broker = await startBroker({ flags: ['--broker-interface=http,grpc', `--grpc-port=${grpc}`] })
    const directory = await broker.certificates.forCluster('newcomer')
    const authority = readFileSync(join(directory, 'ca.crt'), 'utf8')
    appendFileSync(join(directory, 'tls.crt'), authority.repeat(CERTIFICATES))
    doors = { api: await apiNewcomer(broker), grpc: await grpcNewcomer(broker, grpc) }
  })
  afterAll(() => broker?.dispose())

  it.each(['api', 'grpc'])('takes no memory for good at the port %s', async (name) => {
    const newcomer = doors[name]
    if (!newcomer) throw new Error(`There is no door ${name}.`)
    for (let n = 0; n < connections / 3; n++) await newcomer()
    const before = rssMbOf(broker.pid)

    for (let n = 0; n < connections; n++) await newcomer()

    // What it took for a while is given back when the broker rests.
    await expect.poll(() => rssMbOf(broker.pid) - before).toBeLessThan(MORE_MB_MAX)
  })
})
