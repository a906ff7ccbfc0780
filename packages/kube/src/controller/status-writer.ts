import type { KubeClient } from '../client/kube-client.ts'
import { type Kind, keyOf } from '../objects.ts'
import type { Shown, StatusWriting } from './controller.ts'
import { isSameJson, type Json, mergePatchOf } from './merge-patch.ts'

export type StatusWriter<Status> = {
  /** Makes the status so, with one patch or none; whether there was one. */
  write(shown: Shown<Status>, wanted: Status, signal: AbortSignal): Promise<boolean>
  forget(key: string): void
}

type Ports = Readonly<{
  client: Pick<KubeClient, 'mergePatch' | 'apply'>
  kind: Kind
  writing: StatusWriting
}>

/** What we wrote, and the version that the object had in our eyes when we did. */
type Written<Status> = Readonly<{ status: Status; over: string | undefined }>

export function createStatusWriter<Status extends object>({
  client,
  kind,
  writing,
}: Ports): StatusWriter<Status> {
  const written = new Map<string, Written<Status>>()

  /** Our own write may not have come back by the watch yet; then it counts, not what is shown. */
  function current({ metadata, status }: Shown<Status>): Status | undefined {
    const ours = written.get(keyOf(metadata))
    return ours && ours.over === metadata.resourceVersion ? ours.status : status
  }

  async function merge(shown: Shown<Status>, wanted: Status, signal: AbortSignal) {
    const status = mergePatchOf((current(shown) ?? {}) as Json, wanted as Json)
    if (status === undefined) return false
    const { withVersion, fieldManager } = writing.by === 'merge' ? writing : {}
    const { resourceVersion } = shown.metadata
    const patch = withVersion ? { metadata: { resourceVersion }, status } : { status }
    const options = { subresource: 'status', fieldManager, signal } as const
    await client.mergePatch(kind, shown.metadata, patch, options)
    return true
  }

  async function apply(shown: Shown<Status>, wanted: Status, signal: AbortSignal) {
    const { name, namespace } = shown.metadata
    const ours = written.get(keyOf(shown.metadata))
    // Others own fields too: only what we applied last tells whether ours are as wanted.
    const isThere = ours !== undefined && isSameJson(ours.status, wanted)
    if (isThere && (ours.over === shown.metadata.resourceVersion || contains(shown.status, wanted)))
      return false
    const fieldManager = writing.by === 'apply' ? writing.fieldManager : ''
    const options = { subresource: 'status', fieldManager, force: true, signal } as const
    await client.apply(kind, { metadata: { name, namespace }, status: wanted }, options)
    return true
  }

  return {
    async write(shown, wanted, signal) {
      const send = writing.by === 'apply' ? apply : merge
      if (!(await send(shown, wanted, signal))) return false
      const over = shown.metadata.resourceVersion
      written.set(keyOf(shown.metadata), { status: wanted, over })
      return true
    },
    forget: (key) => written.delete(key),
  }
}

/** Every field of `wanted` is in `there`; list entries may have neighbours. */
function contains(there: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(there) && wanted.every((one) => there.some((two) => contains(two, one)))
  if (typeof wanted !== 'object' || wanted === null) return isSameJson(there, wanted)
  if (typeof there !== 'object' || there === null) return false
  return Object.entries(wanted).every(([name, value]) => contains((there as Json)[name], value))
}
