import { type KubeClient, KubeError } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import type { AgentConfig } from '../config/index.ts'
import { resolveClusterId } from './identity.ts'

const UID = 'fd32c7d2-7cc6-46e6-80aa-d3d5c835586c'
// Who it is does not depend on where that broker's cluster is.
const broker = { kind: 'kubernetes' } as AgentConfig['broker']

describe('the id of a cluster that no certificate speaks for', () => {
  it('is the UID of its namespace kube-system', async () => {
    expect(await resolveClusterId({ broker }, ports(cluster()))).toBe(UID)
  })

  it('is waited for while the API server is away', async () => {
    const told: string[] = []
    const away = ports(cluster([], 2), (error) => told.push(error.message))

    expect(await resolveClusterId({ broker }, away)).toBe(UID)
    expect(told).toEqual(['away', 'away'])
  })

  it('is waited for no longer when the agent is told to stop', async () => {
    const stopping = new AbortController()
    const away = ports(cluster([], Number.POSITIVE_INFINITY), () => stopping.abort())

    const waiting = resolveClusterId({ broker }, { ...away, signal: stopping.signal })

    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is the one that is given, without a look into the cluster', async () => {
    const asked: string[] = []

    const asking = ports(cluster(asked))
    expect(await resolveClusterId({ broker, clusterId: 'rome' }, asking)).toBe('rome')
    expect(asked).toEqual([])
  })
})

function ports(client: Pick<KubeClient, 'get'>, onTrouble: (error: Error) => void = () => {}) {
  return { client, onTrouble, clock: { random: () => 0, sleep: async () => {} } }
}

/** One that is away for the first few questions. */
function cluster(asked: string[] = [], awayFor = 0): Pick<KubeClient, 'get'> {
  let questions = 0
  return {
    async get(kind, name) {
      if (questions++ < awayFor) throw new KubeError('away', { reason: 'Unreachable' })
      asked.push(name)
      if (kind.plural !== 'namespaces' || name !== 'kube-system') throw new Error(name)
      const metadata = { name, uid: UID }
      return { apiVersion: 'v1', kind: 'Namespace', metadata } as never
    },
  }
}
