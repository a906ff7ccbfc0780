import type { KubeClient } from '../client/kube-client.ts'
import { type Kind, type KubeObject, keyOf } from '../objects/objects.ts'
import type { Shown, StatusWriting } from './controller.ts'
import { isSameJson, type Json, mergePatchOf } from './merge-patch.ts'

export type StatusWriter<Status> = {
  /** Writes the status with one patch, or none if it is so already; returns the answer. */
  write(shown: Shown<Status>, wanted: Status, signal: AbortSignal): Promise<KubeObject | undefined>
  forget(key: string): void
}

type Ports = Readonly<{
  client: Pick<KubeClient, 'mergePatch' | 'apply'>
  kind: Kind
  writing: StatusWriting
}>

/** The status we wrote, and the object's version after that write. */
type Written<Status> = Readonly<{ status: Status; version: string | undefined }>

/** `shown` must be the newest known state, the answers to our own writes included. */
export function createStatusWriter<Status extends object>({
  client,
  kind,
  writing,
}: Ports): StatusWriter<Status> {
  const written = new Map<string, Written<Status>>()

  /** The server drops fields that its schema lacks; writing them again would change nothing. */
  function current({ metadata, status }: Shown<Status>): Status | undefined {
    const ours = written.get(keyOf(metadata))
    return ours && ours.version === metadata.resourceVersion ? ours.status : status
  }

  async function merge(shown: Shown<Status>, wanted: Status, signal: AbortSignal) {
    const status = mergePatchOf((current(shown) ?? {}) as Json, wanted as Json)
    if (status === undefined) return undefined
    const { withVersion, fieldManager } = writing.by === 'merge' ? writing : {}
    const { resourceVersion } = shown.metadata
    const patch = withVersion ? { metadata: { resourceVersion }, status } : { status }
    const options = { subresource: 'status', fieldManager, signal } as const
    return client.mergePatch<KubeObject>(kind, shown.metadata, patch, options)
  }

  async function apply(shown: Shown<Status>, wanted: Status, signal: AbortSignal) {
    const { name, namespace } = shown.metadata
    const ours = written.get(keyOf(shown.metadata))
    // Other managers own fields too: compare with what we applied last.
    const isOurs = ours !== undefined && isSameJson(ours.status, wanted)
    if (isOurs && contains(current(shown), wanted)) return undefined
    const fieldManager = writing.by === 'apply' ? writing.fieldManager : ''
    const options = { subresource: 'status', fieldManager, force: true, signal } as const
    const object = { metadata: { name, namespace }, status: wanted }
    return client.apply<KubeObject>(kind, object, options)
  }

  return {
    async write(shown, wanted, signal) {
      const send = writing.by === 'apply' ? apply : merge
      const answer = await send(shown, wanted, signal)
      const version = answer?.metadata.resourceVersion
      if (answer) written.set(keyOf(shown.metadata), { status: wanted, version })
      return answer
    },
    forget: (key) => written.delete(key),
  }
}

/** Whether `there` has every field of `wanted`; its lists may have more entries. */
function contains(there: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(there) && wanted.every((one) => there.some((two) => contains(two, one)))
  if (typeof wanted !== 'object' || wanted === null) return isSameJson(there, wanted)
  if (typeof there !== 'object' || there === null) return false
  return Object.entries(wanted).every(([name, value]) => contains((there as Json)[name], value))
}
