import { randomUUID } from 'node:crypto'
import type { ControlPlane } from '@bourse/testkit/control-plane'

/** Flags for brokers of one ledger, in a namespace of its own. */
export async function aPlaceOn({ kubectl, adminKubeconfig }: ControlPlane): Promise<string[]> {
  const namespace = `brokers-${randomUUID().slice(0, 8)}`
  await kubectl(['create', 'namespace', namespace])
  return [`--store-namespace=${namespace}`, `--kubeconfig=${adminKubeconfig}`]
}
