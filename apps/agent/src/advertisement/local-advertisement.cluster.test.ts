// Budget: 20 seconds.
import type { LocalAdvertisementSpec } from '@bourse/contract/kinds'
import { createKubeClient, type KubeObject, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { agentKinds } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { expect, it } from 'vitest'
import { ADVERTISEMENT } from '../kinds.ts'
import type { Advertised } from './compose-advertisement.ts'
import { createLocalAdvertisement } from './local-advertisement.ts'

const controlPlane = useControlPlane({ kinds: agentKinds })

const holding = (reserved: Readonly<Record<string, string>>): Advertised => ({
  ...{ clusterID: 'paris', clusterName: 'paris' },
  resources: {
    ...{ capacity: { cpu: '8' }, allocatable: { cpu: '8' }, allocated: {} },
    ...{ reserved, available: { cpu: '8' } },
  },
})

it('shows that nothing is reserved any more', async () => {
  const { adminKubeconfig: kubeconfig } = controlPlane()
  const client = createKubeClient(await loadConnection({ kubeconfig }))
  const [name, namespace] = ['cluster-advertisement', 'default']
  const local = createLocalAdvertisement({
    ...{ client, name, namespace },
    own: { current: () => undefined, subscribe: () => () => {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const shown = async (cpu: string | undefined, at: number) => {
    local.show({ accepted: { advertised: holding(cpu ? { cpu } : {}), at } }, [])
    const isShown = async () => {
      const found = await client
        .get<KubeObject<LocalAdvertisementSpec>>(ADVERTISEMENT, name, namespace)
        .then(undefined, () => undefined)
      return found && found.spec?.resources?.reserved?.cpu === cpu
    }
    await eventually(`${cpu ?? 'nothing'} is reserved`, isShown)
  }

  await shown('2', 1_000)
  await shown(undefined, 2_000)

  expect(local.trouble()).toBeUndefined()
  await local.stop()
  await client.close()
})
