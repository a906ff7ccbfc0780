import {
  ignoring,
  isBeingDeleted,
  isNotFound,
  type KubeClient,
  keyOf,
  type Next,
  type Turn,
} from '@bourse/kube'
import { NAMESPACE } from '../../../kubernetes/kinds.ts'
import type { HeldReservation } from '../../port/peering.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import type { LiqoTenant } from '../liqo/liqo-tenant.ts'
import { type ResourceSlice, reservationOf, sliceUserOf } from '../liqo/resource-slice.ts'
import {
  askedIn,
  type Denial,
  type Grant,
  judgeSlice,
  type SliceFacts,
  type Verdict,
} from './judge-slice.ts'
import type { Leftovers } from './leftovers.ts'
import {
  deniedStatus,
  grantedStatus,
  isAuthenticated,
  isDenied,
  isGranted,
  isGrantedByUs,
  type SliceStatus,
} from './slice-status.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'get' | 'list' | 'mergePatch'>
  leftovers: Leftovers
  /** Undefined: not known yet, so nothing is revoked. */
  reservations(): readonly HeldReservation[] | undefined
  facts: Omit<SliceFacts, 'reservations'>
  /** Told which Liqo id a namespace is for. */
  noteLiqoTenant(namespace: string, liqoId: string | undefined): void
  nodeLabels: Readonly<Record<string, string>>
  graceMs: number
  /** The local clock, and the broker's. */
  now(): number
  brokerNow(): number
}>

/** Until the instructions of an earlier run are read. */
const NOT_KNOWN_AGAIN_MS = 200
/** Something that no event tells of is missing, such as the Liqo id of a requester. */
const LEFT_AGAIN_MS = 5_000
const CORDONED_AGAIN_MS = 15_000
/** A timer holds 24 days at most; and clocks are compared again now and then. */
const LOOK_AGAIN_MAX_MS = 600_000

/**
 * ```
 *   asked ──► granted ──► over: cordoned ──► after the grace: denied ──► pods removed
 *     │          ▲                │
 *     │          └── renewed ◄────┘
 *     └──► denied: nothing is reserved
 * ```
 */
export function createSliceReconciler(ports: Ports) {
  const { client, leftovers, facts } = ports

  return async function reconcile(slice: ResourceSlice, { signal }: Turn): Answer {
    if (isBeingDeleted(slice)) return {}
    const reservations = ports.reservations()
    if (!reservations) return { againAfterMs: NOT_KNOWN_AGAIN_MS }
    const verdict = await judge(slice, reservations, signal)
    switch (verdict.kind) {
      case 'leave':
        return verdict.isForNow ? { againAfterMs: LEFT_AGAIN_MS } : {}
      case 'grant':
        return grant(slice, verdict)
      case 'deny':
        return deny(slice, verdict, signal)
    }
  }

  async function judge(
    slice: ResourceSlice,
    reservations: readonly HeldReservation[],
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { name, namespace = '' } = slice.metadata
    const place = await client.get(NAMESPACE, namespace, undefined, { signal })
    const liqoTenant = place.metadata.labels?.[LABEL.remote]
    ports.noteLiqoTenant(namespace, liqoTenant)
    const asking = {
      standing: await standingOf(namespace, signal),
      isGranted: isGranted(slice),
      key: keyOf(slice.metadata),
      name,
      consumer: slice.spec?.consumerClusterID,
      liqoTenant,
      asked: askedIn(slice.spec?.resources),
      had: askedIn(slice.status?.resources),
    }
    return judgeSlice(asking, { ...facts, reservations }, ports.brokerNow())
  }

  /** Without a Tenant there is no condition. */
  async function standingOf(namespace: string, signal: AbortSignal) {
    const listed = ignoring(isNotFound, client.list<LiqoTenant>(LIQO.tenant, { namespace, signal }))
    return (await listed)?.items[0]?.spec?.tenantCondition
  }

  async function grant(slice: ResourceSlice, verdict: Grant): Answer {
    // Liqo writes the whole status when it signs: before that, each would undo the other.
    if (!isAuthenticated(slice)) return {}
    await uncordon(client, slice)
    const { expiresAt } = verdict.reservation
    const restMs = expiresAt === undefined ? LOOK_AGAIN_MAX_MS : expiresAt - ports.brokerNow()
    const status = grantedStatus(slice, verdict, { labels: ports.nodeLabels, now: stamp() })
    return { status, againAfterMs: Math.min(Math.max(restMs, 1), LOOK_AGAIN_MAX_MS) }
  }

  async function deny(slice: ResourceSlice, verdict: Denial, signal: AbortSignal): Answer {
    // A second slice of one reservation has the user of the first, whose pods are not to go.
    if (isDenied(slice) && verdict.reason !== 'ReservationHasSlice') {
      const { spec, metadata } = slice
      await leftovers.removePods(sliceUserOf(metadata.name, spec?.consumerClusterID ?? ''), signal)
      // Why it was denied first is what its requester wants to know.
      if (verdict.reason === 'NoReservation') return {}
    }
    // A grant that we did not give has no grace period.
    const graceMs = isGrantedByUs(slice) ? await graceLeft(slice) : 0
    if (graceMs > 0) return { againAfterMs: graceMs }
    const status = deniedStatus(slice, finalDenial(slice, verdict), stamp())
    // No event tells when an operator changes the condition.
    return verdict.reason === 'TenantCordoned'
      ? { status, againAfterMs: CORDONED_AGAIN_MS }
      : { status }
  }

  /** Once granted, it is known to be over: the broker forgets what has ended. */
  function finalDenial(slice: ResourceSlice, verdict: Denial): Denial {
    if (!isGrantedByUs(slice) || verdict.reason !== 'NoReservation') return verdict
    const message = `Reservation ${reservationOf(slice.metadata.name)} has ended.`
    return { kind: 'deny', reason: 'ReservationOver', message }
  }

  async function graceLeft(slice: ResourceSlice): Promise<number> {
    const now = ports.now()
    const since = cordonedAt(slice, now)
    if (since === undefined) await cordon(client, slice, now)
    return (since ?? now) + ports.graceMs - now
  }

  function stamp(): string {
    return new Date(ports.now()).toISOString()
  }
}

type Answer = Promise<Next<SliceStatus>>

const CORDON = 'liqo.io/cordon'
/** Tells a cordon of ours from an operator's, and since when it is. */
const CORDONED_AT = 'bourse.dev/cordoned-at'

/** When we cordoned it; a moment that is yet to come was not written by us. */
function cordonedAt({ metadata }: ResourceSlice, nowMs: number): number | undefined {
  const at = Date.parse(metadata.annotations?.[CORDONED_AT] ?? '')
  return at <= nowMs ? at : undefined
}

/** No new pods; those that run go on. */
async function cordon(
  client: Pick<KubeClient, 'mergePatch'>,
  { metadata }: ResourceSlice,
  nowMs: number,
): Promise<void> {
  const annotations = { [CORDON]: 'true', [CORDONED_AT]: new Date(nowMs).toISOString() }
  const { uid } = metadata
  await client.mergePatch(LIQO.resourceSlice, metadata, { metadata: { uid, annotations } })
}

/** Takes back a cordon of ours: an operator's stays. */
async function uncordon(
  client: Pick<KubeClient, 'mergePatch'>,
  { metadata }: ResourceSlice,
): Promise<void> {
  if (metadata.annotations?.[CORDONED_AT] === undefined) return
  const annotations = { [CORDON]: null, [CORDONED_AT]: null }
  const { uid } = metadata
  await client.mergePatch(LIQO.resourceSlice, metadata, { metadata: { uid, annotations } })
}
