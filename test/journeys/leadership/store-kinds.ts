import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '@bourse/testkit'
import type { ControlPlane } from '@bourse/testkit/control-plane'

/** The kinds that a kubernetes store keeps itself in. */
export async function installStoreKinds({ kubectl }: ControlPlane): Promise<void> {
  const bases = join(repositoryRoot, 'config', 'crd', 'bases')
  const stores = readdirSync(bases).filter((name) => /slots|chunks/.test(name))
  await kubectl(['apply', ...stores.map((name) => `--filename=${join(bases, name)}`)])
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s'])
}

/** Flags for brokers of one ledger, in a namespace of its own. */
export async function aPlaceOn({ kubectl, adminKubeconfig }: ControlPlane): Promise<string[]> {
  const namespace = `brokers-${randomUUID().slice(0, 8)}`
  await kubectl(['create', 'namespace', namespace])
  return [`--store-namespace=${namespace}`, `--kubeconfig=${adminKubeconfig}`]
}
