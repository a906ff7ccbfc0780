import type { KubeClient } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import type { AgentConfig } from '../config/index.ts'
import { resolveClusterId } from './identity.ts'

const UID = 'fd32c7d2-7cc6-46e6-80aa-d3d5c835586c'
// Who it is does not depend on where that broker's cluster is.
const broker = { kind: 'kubernetes' } as AgentConfig['broker']

describe('the id of a cluster that no certificate speaks for', () => {
  it('is the UID of its namespace kube-system', async () => {
    expect(await resolveClusterId({ broker }, cluster())).toBe(UID)
  })

  it('is the one that is given, without a look into the cluster', async () => {
    const asked: string[] = []

    expect(await resolveClusterId({ broker, clusterId: 'rome' }, cluster(asked))).toBe('rome')
    expect(asked).toEqual([])
  })
})

function cluster(asked: string[] = []): Pick<KubeClient, 'get'> {
  return {
    async get(kind, name) {
      asked.push(name)
      if (kind.plural !== 'namespaces' || name !== 'kube-system') throw new Error(name)
      const metadata = { name, uid: UID }
      return { apiVersion: 'v1', kind: 'Namespace', metadata } as never
    },
  }
}
