// Budget: 120 seconds.
import type { KubeObject } from '@bourse/kube'
import { isReady } from '@bourse/testkit/liqo'
import { describe, expect, it } from 'vitest'
import { usePeers } from './use-peers.ts'

type Identity = KubeObject<
  Readonly<{ type: string; authParams: Readonly<{ signedCRT: string; apiServer: string }> }>
>
const IDENTITY = {
  ...{ group: 'authentication.liqo.io', version: 'v1beta1', plural: 'identities' },
  ...{ kind: 'Identity', namespaced: true },
}
/** By another name than the one that Liqo there tells. */
const addressOf = (url: string) => url.replace('127.0.0.1', 'localhost')

describe('a certificate that nears its end', () => {
  const { federation, inCluster, until, active, nodeOf } = usePeers({
    // Kubernetes dates them back by 5 minutes: two thirds are over after some 20 seconds.
    controllerFlags: ['--cluster-signing-duration=180s'],
    agentFlags: (_, url) => ['--peering=native', `--api-server-url=${addressOf(url)}`],
  })
  const params = async () => {
    const { items } = await inCluster('rome').client.list<Identity>(IDENTITY)
    return items.find(({ spec }) => spec?.type === 'ControlPlane')?.spec?.authParams
  }

  it('is renewed by Liqo, and the peering goes on at the address of the provider', async () => {
    const paris = addressOf(federation().cluster('paris').controlPlane.url)
    await inCluster('rome').ask('job', { cpu: '1', memory: '1Gi', duration: '1h' })
    const { reservationName = '' } = await active('job')
    const first = await until('there is one, at the address of the provider', async () => {
      const now = await params()
      return now?.apiServer === paris ? now : undefined
    })

    const renewed = await until('the certificate is another, at the same address', async () => {
      const now = await params()
      const isOther = now?.signedCRT !== first.signedCRT
      return isOther && now?.apiServer === paris ? now : undefined
    })

    expect(renewed.signedCRT).not.toBe(first.signedCRT)
    expect(isReady(await nodeOf(reservationName))).toBe(true)
    // Also what is borrowed from now on is carried with the new one.
    await inCluster('rome').ask('more', { cpu: '1', memory: '1Gi', duration: '1h' })
    await active('more')
  })
})
