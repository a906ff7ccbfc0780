import { type KubeClient, systemClock } from '@bourse/kube'
import { SECRET } from '../../../kubernetes/kinds.ts'
import type { HeldReservation } from '../../port/peering.ts'
import { ORIGIN_LABEL, REPLICATED_LABEL, RESOURCE_SLICE } from '../liqo/liqo-kinds.ts'
import type { ResourceSlice } from '../liqo/resource-slice.ts'
import { createGranting, type Granting } from './granting.ts'
import type { Judgement } from './judge-slice.ts'

export type Book = { held: HeldReservation[]; isKnown: boolean; aheadMs: number }

/** Grants as the book says; `aheadMs` is how far the broker's clock is ahead. */
export function aGranting(client: KubeClient, book: Book, graceMs = 60_000) {
  const judgements: Judgement[] = []
  const changed: string[] = []
  const granting: Granting = createGranting({
    client,
    log: { info() {}, warn() {} },
    clock: systemClock,
    liqoIdOf: (requester) => `${requester}-liqo`,
    reservations: () => (book.isKnown ? book.held : undefined),
    brokerNow: () => Date.now() + book.aheadMs,
    judged: (judgement) => judgements.push(judgement),
    settings: {
      sliceClass: 'bourse',
      graceMs,
      extras: { pods: 110n },
      nodeLabels: { 'topology.example.org/site': 'paris' },
    },
  })
  granting.subscribe((id) => changed.push(id))
  return { granting, judgements, changed }
}

/** As Liqo copies it from the requester's cluster, and then signs its certificate. */
export async function asks(
  liqo: KubeClient,
  name: string,
  resources: Record<string, string>,
  { sliceClass = 'bourse', namespace = 'liqo-tenant-rome-liqo' } = {},
): Promise<ResourceSlice> {
  const labels = { [REPLICATED_LABEL]: 'true', [ORIGIN_LABEL]: 'rome-liqo' }
  const slice = await liqo.create<ResourceSlice>(RESOURCE_SLICE, {
    apiVersion: 'authentication.liqo.io/v1beta1',
    kind: 'ResourceSlice',
    metadata: { name, namespace, labels },
    spec: { class: sliceClass, consumerClusterID: 'rome-liqo', resources },
  })
  const secret = { name: `liqo-remote-certificate-${name}`, namespace }
  await liqo.create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata: secret })
  const conditions = [{ type: 'Authentication', status: 'Accepted', reason: 'Signed' }]
  // Without a version, unlike Liqo: the agent may have answered in between.
  const patch = { status: { conditions } }
  const options = { subresource: 'status' } as const
  return liqo.mergePatch<ResourceSlice>(RESOURCE_SLICE, slice.metadata, patch, options)
}
