import type { KubeClient } from '@bourse/kube'
import { LIQO } from '../liqo/liqo-kinds.ts'
import type { ResourceSlice } from '../liqo/resource-slice.ts'

const CORDON = 'liqo.io/cordon'
/** Tells a cordon of ours from an operator's, and since when it is. */
const CORDONED_AT = 'bourse.dev/cordoned-at'

/** When we cordoned it; a moment that is yet to come was not written by us. */
export function cordonedAt({ metadata }: ResourceSlice, nowMs: number): number | undefined {
  const at = Date.parse(metadata.annotations?.[CORDONED_AT] ?? '')
  return at <= nowMs ? at : undefined
}

/** No new pods; those that run go on. */
export async function cordon(
  client: Pick<KubeClient, 'mergePatch'>,
  { metadata }: ResourceSlice,
  nowMs: number,
): Promise<void> {
  const annotations = { [CORDON]: 'true', [CORDONED_AT]: new Date(nowMs).toISOString() }
  const { uid } = metadata
  await client.mergePatch(LIQO.resourceSlice, metadata, { metadata: { uid, annotations } })
}

/** Takes back a cordon of ours: an operator's stays. */
export async function uncordon(
  client: Pick<KubeClient, 'mergePatch'>,
  { metadata }: ResourceSlice,
): Promise<void> {
  if (metadata.annotations?.[CORDONED_AT] === undefined) return
  const annotations = { [CORDON]: null, [CORDONED_AT]: null }
  const { uid } = metadata
  await client.mergePatch(LIQO.resourceSlice, metadata, { metadata: { uid, annotations } })
}
