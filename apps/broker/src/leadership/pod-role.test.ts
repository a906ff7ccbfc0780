import type { KubeClient } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import { createPodRole } from './pod-role.ts'

describe('createPodRole', () => {
  it('labels the pod with its role, and only when that changes', async () => {
    const { role, patches } = aPod()

    await role.show('standby')
    await role.show('leader')
    await role.show('leader')

    expect(patches).toEqual([
      { metadata: { labels: { 'broker.fluidos.eu/role': 'standby' } } },
      { metadata: { labels: { 'broker.fluidos.eu/role': 'leader' } } },
    ])
    await role.stop()
  })

  it('says why it cannot, and does it once it can', async () => {
    const { role, patches, failures } = aPod()
    failures.push(new Error('pods is forbidden'))

    await role.show('leader')
    const trouble = role.trouble()
    await role.show('leader')

    expect(trouble).toBe('Labelling the pod failed: pods is forbidden')
    expect(role.trouble()).toBeUndefined()
    expect(patches).toHaveLength(1)
    await role.stop()
  })
})

function aPod() {
  const patches: object[] = []
  const failures: Error[] = []
  const mergePatch: KubeClient['mergePatch'] = async (_kind, _ref, patch) => {
    const failure = failures.shift()
    if (failure) throw failure
    patches.push(patch)
    // The answer is not used.
    return undefined as never
  }
  const role = createPodRole({ client: { mergePatch }, pod: { name: 'p', namespace: 'n' } })
  return { role, patches, failures }
}
