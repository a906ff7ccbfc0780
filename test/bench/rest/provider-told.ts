import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from '../harness/benchmark.ts'
import { inTurn } from '../harness/in-turn.ts'
import { summarize } from '../harness/statistics.ts'
import {
  ask,
  indexOf,
  openConnection,
  type RawAnswer,
  type RawConnection,
} from '../load/raw-connection.ts'
import { requestBytes } from '../load/requests.ts'
import { type Federation, startFederation } from './federation.ts'

const WAITING = 500
const SAMPLES = 1_000
const SAMPLES_QUICK = 200
/** About a hundred reservations a second: each wakes one poll, and that one comes back. */
const PAUSE_MS = 10
const TOLD_MS_MAX = 50
const GIVE_UP_MS = 5_000

type Provider = { clusterId: string; connection: RawConnection; onTold?: () => void }

/** How soon a provider knows that something was reserved on it. */
export const providerTold: Benchmark = {
  name: 'provider-told',
  bar: 'p99 ≤ 50 ms after the requester’s 201, 500 waiting providers',

  async run(stage) {
    const federation = await startFederation(stage, 'provider-told')
    const providers = await waitingProviders(federation)
    const samples = stage.pace.isQuick ? SAMPLES_QUICK : SAMPLES
    const toldMs = await reserveOnEach(federation, providers, samples)
    for (const { connection } of providers) connection.close()
    await federation.dispose()

    const told = summarize(toldMs)
    return {
      lines: [
        { what: 'provider told, 500 waiting, p50', measured: told.p50, unit: 'ms' },
        {
          what: 'provider told, 500 waiting, p99',
          measured: told.p99,
          unit: 'ms',
          bar: { kind: 'atMost', limit: TOLD_MS_MAX, said: '≤ 50 ms' },
        },
      ],
      details: told,
    }
  },
}

function waitingProviders({ port, providers }: Federation): Promise<Provider[]> {
  return inTurn(providers.slice(0, WAITING), async ({ clusterId, directory }) => {
    const provider: Provider = { clusterId, connection: await openConnection({ port, directory }) }
    const first = await ask(provider.connection, requestBytes('GET', '/instructions'))
    poll(provider, indexOf(first))
    return provider
  })
}

/** Asks, and asks again with the answer's index, as an agent does. */
function poll(provider: Provider, after: string): void {
  const request = requestBytes('GET', `/instructions?wait=30s&after=${after}`)
  provider.connection.send(request, (answer) => {
    if (answer.status !== 200) return
    const { onTold } = provider
    if (hasSomething(answer)) onTold?.()
    poll(provider, indexOf(answer))
  })
}

async function reserveOnEach(
  { port, requesters }: Federation,
  providers: readonly Provider[],
  samples: number,
): Promise<number[]> {
  const [requester] = requesters
  if (!requester) throw new Error('A federation has requesters.')
  const connection = await openConnection({ port, directory: requester.directory })
  const toldMs: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    const provider = providers[sample % providers.length]
    if (provider) toldMs.push(await reserveOn(provider, connection))
    await sleep(PAUSE_MS)
  }
  connection.close()
  return toldMs
}

/** From the requester's answer to the provider's; none at all where the provider knew first. */
async function reserveOn(provider: Provider, requester: RawConnection): Promise<number> {
  const told = new Promise<number>((resolve) => {
    provider.onTold = () => resolve(performance.now())
  })
  const body = {
    requestedResources: { cpu: '10m', memory: '16Mi' },
    duration: '1h',
    targetClusterID: provider.clusterId,
  }
  const answer = await ask(requester, requestBytes('POST', '/reservations', body))
  const answeredAt = performance.now()
  if (answer.status !== 201) throw new Error(`Not reserved: ${answer.status} ${answer.body}`)
  const late = sleep(GIVE_UP_MS, Number.NaN)
  const toldAt = await Promise.race([told, late])
  if (Number.isNaN(toldAt)) throw new Error(`${provider.clusterId} was not told in time.`)
  return Math.max(0, toldAt - answeredAt)
}

const hasSomething = ({ body }: RawAnswer) => body.length > '[]'.length
