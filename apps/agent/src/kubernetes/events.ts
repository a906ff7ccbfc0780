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

export type ObjectEvent = Pick<EventNote, 'type' | 'reason' | 'action' | 'note'>
export type ObjectEvents = ReturnType<typeof createObjectEvents>

/** Writes Kubernetes Events about an object. */
export function createObjectEvents(client: Pick<KubeClient, 'create' | 'mergePatch'>) {
  const recorder = createEventRecorder({ client, controller: CONTROLLER, instance: hostname() })

  return {
    tell(kind: Kind, object: Pick<KubeObject, 'metadata'>, event: ObjectEvent): void {
      recorder.record({ regarding: referenceTo(kind, object), ...event })
    },
    stop: recorder.stop,
  }
}

function referenceTo(kind: Kind, { metadata }: Pick<KubeObject, 'metadata'>) {
  const { name, namespace, uid, resourceVersion } = metadata
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, namespace, uid, resourceVersion }
}
