import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Federation } from '@bourse/testkit/federation'
import { liqoctlPath } from '@bourse/testkit/liqo'
import { afterAll } from 'vitest'

/** A directory for the kubeconfigs of providers, and what agents that use it are told. */
export function useKubeconfigs() {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-kubeconfigs-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const pathOf = (provider: string) => join(dir, `${provider}.kubeconfig`)
  return {
    pathOf,
    flags: () => [
      ...[`--kubeconfigs-dir=${dir}`, `--liqoctl=${liqoctlPath()}`],
      '--peering-linger=0s',
    ],
    /** What Liqo lets a requester do that is to peer, and nothing else. */
    async bring(federation: Federation, provider: string, requester: string): Promise<void> {
      const { liqo, controlPlane } = federation.cluster(provider)
      const controller = JSON.stringify(aController(controlPlane.url))
      await controlPlane.kubectl(['apply', '--filename=-'], controller)
      const command = ['generate', 'peering-user', `--consumer-cluster-id=${requester}`]
      writeFileSync(pathOf(provider), (await liqo?.liqoctl(command)) ?? '')
    },
  }
}

/** Liqo runs beside the cluster, and liqoctl looks here for the address that it tells others. */
function aController(url: string) {
  const [name, component] = ['controller-manager', 'controller-manager']
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': component }
  const args = [`--api-server-address-override=${url}`]
  const containers = [{ name, image: 'example.org/liqo', args }]
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'liqo-controller-manager', namespace: 'liqo', labels },
    spec: {
      ...{ replicas: 0, selector: { matchLabels: labels } },
      template: { metadata: { labels }, spec: { containers } },
    },
  }
}
