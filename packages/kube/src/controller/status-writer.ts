import type { KubeClient } from '../client/kube-client.ts'
import { type Kind, type KubeObject, keyOf } from '../objects/objects.ts'
import type { Shown, StatusWriting } from './controller.ts'
import { type Json, mergePatchOf } from './merge-patch.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'mergePatch'>
  kind: Kind
  writing: StatusWriting
}>

/** The status we wrote, and the object's version after that write. */
type Written<Status> = Readonly<{ status: Status; version: string | undefined }>

/** `shown` must be the newest known state, the answers to our own writes included. */
export function createStatusWriter<Status extends object>({ client, kind, writing }: Ports) {
  const written = new Map<string, Written<Status>>()

  /** The server drops fields that its schema lacks; writing them again would change nothing. */
  function current({ metadata, status }: Shown<Status>): Status | undefined {
    const ours = written.get(keyOf(metadata))
    return ours && ours.version === metadata.resourceVersion ? ours.status : status
  }

  return {
    /** Writes the status with one patch, or none if it is so already; returns the answer. */
    async write(shown: Shown<Status>, wanted: Status, signal: AbortSignal) {
      const status = mergePatchOf((current(shown) ?? {}) as Json, wanted as Json)
      if (status === undefined) return undefined
      const { withVersion, fieldManager } = writing
      const { resourceVersion } = shown.metadata
      const patch = withVersion ? { metadata: { resourceVersion }, status } : { status }
      const options = { subresource: 'status', fieldManager, signal } as const
      const answer = await client.mergePatch<KubeObject>(kind, shown.metadata, patch, options)
      const version = answer.metadata.resourceVersion
      written.set(keyOf(shown.metadata), { status: wanted, version })
      return answer
    },
    forget: (key: string) => written.delete(key),
  }
}
