// Budget: 120 seconds.
import { describe, expect, it } from 'vitest'
import { usePeers } from './use-peers.ts'
import { deployment } from './workload.ts'

const inShop = '--namespace=shop'

/** Its pods run in paris, its Liqo goes on, and its agent will never say that it is over. */
describe('a requester that goes silent', () => {
  const { federation, inCluster, kubectl, liqoIn, until, active, offloaded } = usePeers({
    agentRights: 'chart',
    agentFlags: () => ['--peering=native', '--take-back-after=2s'],
  })

  it('keeps nothing in paris beyond its time', async () => {
    await inCluster('rome').ask('job', { cpu: '2', memory: '4Gi', duration: '1h' })
    await active('job')
    await offloaded('shop')
    const amounts = { cpu: '500m', memory: '512Mi' }
    const web = deployment('web', { namespace: 'shop', replicas: 1, amounts })
    await kubectl('rome', ['apply', '--filename=-'], web)
    const isAvailable = '--for=condition=Available'
    await kubectl('rome', ['wait', isAvailable, 'deployment/web', inShop, '--timeout=60s'])
    expect(await liqoIn('paris').guests()).toHaveLength(1)

    await inCluster('rome').edit('job', { duration: '8s' })
    await until('paris is told of its end', async () => {
      const [lent] = await inCluster('paris').lent()
      return Date.parse(lent?.spec?.expiresAt ?? '') - Date.now() < 60_000 || undefined
    })
    await federation().cluster('rome').agent.kill()

    await until('its pods are gone', async () => {
      return (await liqoIn('paris').guests()).length === 0 || undefined
    })
    await until('and the right to have any', async () => {
      return (await liqoIn('paris').liqoQuotas()).length === 0 || undefined
    })
    await until('paris has nothing to enforce any more', async () => {
      return (await kubectl('paris', ['get', 'providerinstructions'])) === '' || undefined
    })
  })
})
