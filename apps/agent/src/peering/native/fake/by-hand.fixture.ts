import type { KubeObject } from '@bourse/kube'
import { PEER_LABEL } from '../liqo/liqo-kinds.ts'

/** As a user would have made it: without the agent's mark. */
export function byHand<T extends KubeObject>(object: T): T {
  const { [PEER_LABEL]: _, ...labels } = object.metadata.labels ?? {}
  return { ...object, metadata: { ...object.metadata, labels } }
}
