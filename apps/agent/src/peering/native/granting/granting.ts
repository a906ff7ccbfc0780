import { createSignal } from '@bourse/daemon/signal'
import type { Resources } from '@bourse/domain/quantity'
import {
  type Clock,
  createController,
  createReflector,
  isBeingDeleted,
  isNotFound,
  type KubeClient,
  keyOf,
} from '@bourse/kube'
import type { Log } from '../../../runtime/log.ts'
import type { HeldReservation, Progress, Step } from '../../port/peering.ts'
import { LABEL, LIQO } from '../liqo/liqo-kinds.ts'
import {
  type ResourceSlice,
  reservationOf,
  sliceCondition,
  sliceName,
  sliceUserOf,
} from '../liqo/resource-slice.ts'
import { createEnforcement } from './enforcement.ts'
import { type Judgement, judgementIn } from './judge-slice.ts'
import { createLeftovers } from './leftovers.ts'
import type { PlaceholderSettings } from './placeholders/placeholder-pod.ts'
import { createPlaceholders, type Placeholders } from './placeholders/placeholders.ts'
import { createSliceReconciler } from './slice-reconciler.ts'
import { isGranted, type SliceStatus } from './slice-status.ts'

type GrantingSettings = Readonly<{
  sliceClass: string
  /** How long pods of an ended reservation may run on; no new ones are admitted. */
  graceMs: number
  /** Granted beside what is reserved. */
  extras: Resources
  /** On every virtual node that is lent. */
  nodeLabels: Readonly<Record<string, string>>
  /** Absent: no room is kept by pods. */
  placeholders?: PlaceholderSettings | undefined
}>

type Ports = Readonly<{
  client: KubeClient
  log: Pick<Log, 'info' | 'warn'>
  clock: Clock
  /** The Liqo id of a cluster, once it said so. */
  liqoIdOf(requester: string): string | undefined
  /** What is held here, also what is just over; undefined before the instructions are read. */
  reservations(): readonly HeldReservation[] | undefined
  /** The broker's time. */
  brokerNow(): number
  /** Each time that a slice is granted or denied something else than before. */
  judged(judgement: Judgement): void
  settings: GrantingSettings
}>

export type Granting = ReturnType<typeof createGranting>

/** What was granted is looked at again then, in case no event told of its end. */
const REVOKED_AGAIN_MS = 1_000

/**
 * The controller of our class of slices: it decides what a consumer gets. What the broker has
 * reserved, as the instructions say, decides.
 */
export function createGranting(ports: Ports) {
  const { client, liqoIdOf, settings, clock } = ports
  const leftovers = createLeftovers(client)
  const enforcement = createEnforcement({ client, clock, sliceClass: settings.sliceClass })
  const changed = createSignal<[reservationId: string]>()
  /** Which Liqo id a namespace is for, as far as it was looked up. */
  const liqoTenants = new Map<string, string | undefined>()
  const placeholders = settings.placeholders && keepRoom(settings.placeholders)
  let running: ReturnType<typeof run> | undefined

  return {
    /** Whether borrowers are limited to what they have reserved. */
    enforcement,
    async start(): Promise<void> {
      if (running) return
      running = run()
      enforcement.start()
      placeholders?.start()
    },
    async stop(): Promise<void> {
      await Promise.all([running?.stop(), enforcement.stop(), placeholders?.stop()])
      running = undefined
    },
    subscribe: changed.subscribe,
    async grant(reservation: HeldReservation): Promise<Progress> {
      placeholders?.look(reservation.id)
      const slices = slicesOf(reservation)
      for (const { metadata } of slices) running?.look(keyOf(metadata))
      return { steps: [stepOf(reservation, slices[0])], isDone: true }
    },
    async revoke(reservation: HeldReservation, signal: AbortSignal): Promise<Progress> {
      if (!ports.reservations() || !running?.isKnown())
        return { steps: [], isDone: false, againAfterMs: REVOKED_AGAIN_MS }
      // Only its object was deleted: it comes again at once.
      if (isHeld(reservation.id)) return { steps: [], isDone: true }
      const granted = slicesOf(reservation).filter((one) => isGranted(one) && !isBeingDeleted(one))
      for (const { metadata } of granted) running?.look(keyOf(metadata))
      const hasRoom = placeholders?.areGone(reservation.id) === false
      if (granted.length > 0 || hasRoom)
        return { steps: [], isDone: false, againAfterMs: REVOKED_AGAIN_MS }
      await sweep(reservation, signal)
      return { steps: [], isDone: true }
    },
  }

  function keepRoom(asked: PlaceholderSettings): Placeholders {
    return createPlaceholders({
      client,
      clock,
      settings: asked,
      held: () => ports.reservations()?.filter(({ id }) => isHeld(id)),
      userOf({ id, requester }) {
        const liqoId = liqoIdOf(requester)
        return liqoId === undefined ? undefined : sliceUserOf(sliceName(id), liqoId)
      },
      onTrouble: (err, key, pauseMs) =>
        ports.log.warn({ err, reservation: key, pauseMs }, 'placeholders are not in place yet'),
    })
  }

  function run() {
    /** No Liqo, no slices. */
    let isAbsent = false
    const reflector = createReflector<ResourceSlice, ResourceSlice>({
      client,
      kind: LIQO.resourceSlice,
      labelSelector: `${LABEL.replicated}=true,${LABEL.origin}`,
      decode: (slice) => (classOf(slice) === settings.sliceClass ? slice : undefined),
      on: {
        added: (slice) => heard(slice),
        changed: heard,
        removed: ({ metadata }) => tell(metadata.name),
      },
      onTrouble(err) {
        if (!isAbsent || !isNotFound(err))
          ports.log.warn({ err }, "Liqo's slices cannot be followed")
        isAbsent = isNotFound(err)
      },
      clock,
    })
    const controller = createController<ResourceSlice, SliceStatus>({
      client,
      reflector,
      reconcile: createSliceReconciler({
        client,
        leftovers,
        reservations: ports.reservations,
        facts: { liqoIdOf, holderOf, extras: settings.extras },
        noteLiqoTenant: (namespace, liqoId) => void liqoTenants.set(namespace, liqoId),
        nodeLabels: settings.nodeLabels,
        graceMs: settings.graceMs,
        now: clock.now,
        brokerNow: ports.brokerNow,
      }),
      show: (slice) => slice,
      async gone({ metadata }, { key, signal }) {
        const { name, namespace = '' } = metadata
        if (!reflector.get(key)) await leftovers.removeCertificate(name, namespace, signal)
      },
      // Liqo writes this status, too.
      statusWriting: { withVersion: true, fieldManager: 'bourse-agent' },
      onTrouble: (err, key, pauseMs) =>
        ports.log.warn({ err, slice: key, pauseMs }, 'a slice has no verdict yet'),
      clock,
    })
    return {
      items: reflector.items,
      isKnown: () => isAbsent || reflector.isSynced(),
      look: controller.enqueue,
      async stop() {
        await Promise.all([controller.stop(), reflector.stop()])
      },
    }
  }

  function heard(slice: ResourceSlice, before?: ResourceSlice): void {
    const judgement = judgementIn(slice, before)
    if (!judgement) return
    const { name, namespace } = slice.metadata
    // What an earlier run judged is not counted again.
    if (before) {
      ports.judged(judgement)
      const { message } = sliceCondition(slice, 'Resources') ?? {}
      ports.log.info(
        { slice: `${namespace}/${name}`, ...judgement },
        `slice ${judgement.result}: ${message}`,
      )
    }
    tell(name)
  }

  function tell(slice: string): void {
    const id = reservationOf(slice)
    if (id !== undefined) changed.tell(id)
  }

  function slicesOf({ id, requester }: HeldReservation): ResourceSlice[] {
    const liqoId = liqoIdOf(requester)
    return [...(running?.items() ?? [])].filter(
      ({ metadata, spec }) => metadata.name === sliceName(id) && spec?.consumerClusterID === liqoId,
    )
  }

  /** Only in a namespace that is the requester's: what a slice says of itself counts for nothing. */
  function holderOf(id: string): string | undefined {
    const requester = ports.reservations()?.find((one) => one.id === id)?.requester
    const liqoId = requester === undefined ? undefined : liqoIdOf(requester)
    if (liqoId === undefined) return undefined
    const holder = [...(running?.items() ?? [])].find(
      (one) =>
        one.metadata.name === sliceName(id) &&
        isGranted(one) &&
        liqoTenants.get(one.metadata.namespace ?? '') === liqoId,
    )
    return holder && keyOf(holder.metadata)
  }

  function isHeld(id: string): boolean {
    const held = ports.reservations()?.find((one) => one.id === id)
    return held !== undefined && (held.expiresAt ?? Number.POSITIVE_INFINITY) > ports.brokerNow()
  }

  /** Also what a slice left that is gone, or that was made to escape our eyes. */
  async function sweep({ id, requester }: HeldReservation, signal: AbortSignal): Promise<void> {
    const liqoId = liqoIdOf(requester)
    // Without its Liqo id a requester was never granted anything.
    if (liqoId === undefined) return
    const name = sliceName(id)
    await leftovers.removePods(sliceUserOf(name, liqoId), signal)
    // Also of a slice that is denied and still there: it may go while no agent is looking.
    for (const namespace of await leftovers.liqoTenantNamespaces(liqoId, signal))
      await leftovers.removeCertificate(name, namespace, signal)
  }
}

/** Later versions of Liqo decide the class at the provider, where the slice names none. */
function classOf({ spec, status }: ResourceSlice): string {
  const decided = status?.class
  return typeof decided === 'string' && decided !== '' ? decided : (spec?.class ?? '')
}

function stepOf({ id, requester }: HeldReservation, slice: ResourceSlice | undefined): Step {
  const type = 'SliceAccepted'
  const said = slice && sliceCondition(slice, 'Resources')
  if (!said) {
    const message = slice
      ? `${sliceName(id)} of ${requester} is not checked yet`
      : `${requester} has not asked for ${sliceName(id)} yet`
    return { type, status: 'False', reason: slice ? 'Pending' : 'NotAsked', message }
  }
  const { reason = '', message = '' } = said
  return { type, status: said.status === 'Accepted' ? 'True' : 'False', reason, message }
}
