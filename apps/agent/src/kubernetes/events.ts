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
