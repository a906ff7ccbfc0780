import { hostname } from 'node:os'
import {
  apiVersionOf,
  createEventRecorder,
  type EventNote,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@bourse/kube'

const CONTROLLER = 'bourse.dev/agent'

export type Chapter = Pick<EventNote, 'type' | 'reason' | 'action' | 'note'>
export type Narrator = ReturnType<typeof createNarrator>

/** Somebody made an instruction by hand: nothing stands behind it, and nothing is done about it. */
export const STRANGER: Chapter = {
  type: 'Warning',
  reason: 'NotFromBroker',
  action: 'Ignore',
  note: 'No reservation of the broker stands behind it: it counts for nothing. Delete it.',
}

/** Tells people what happens to their objects, in Kubernetes Events. */
export function createNarrator(client: Pick<KubeClient, 'create' | 'mergePatch'>) {
  const recorder = createEventRecorder({ client, controller: CONTROLLER, instance: hostname() })

  return {
    tell(kind: Kind, object: Pick<KubeObject, 'metadata'>, chapter: Chapter): void {
      recorder.record({ regarding: referenceTo(kind, object), ...chapter })
    },
    dropped: recorder.dropped,
    stop: recorder.stop,
  }
}

function referenceTo(kind: Kind, { metadata }: Pick<KubeObject, 'metadata'>) {
  const { name, namespace, uid, resourceVersion } = metadata
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, namespace, uid, resourceVersion }
}
