import type { Kind, KubeClient } from '@bourse/kube'
import { type Chore, createChore } from '../background/chore.ts'

type Settings = Readonly<{
  client: Pick<KubeClient, 'mergePatch'>
  pod: Readonly<{ name: string; namespace: string }>
}>

export type Role = 'leader' | 'standby'

const podKind: Kind = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
const ROLE_LABEL = 'broker.fluidos.eu/role'
const EVERY_MS = 5_000

/** Labels our pod with its role, so that a Service can send callers to the leader. */
export function createPodRole({ client, pod }: Settings) {
  let wanted: Role = 'standby'
  let shown: Role | undefined
  const chore: Chore = createChore({ name: 'Labelling the pod', everyMs: EVERY_MS, work })

  return { show, trouble: chore.trouble, stop: chore.stop }

  function show(role: Role): Promise<void> {
    wanted = role
    return chore.run()
  }

  async function work(): Promise<void> {
    while (shown !== wanted) {
      const role = wanted
      await client.mergePatch(podKind, pod, { metadata: { labels: { [ROLE_LABEL]: role } } })
      shown = role
    }
  }
}
