import { type Clock, isBeingDeleted, type KubeClient, KubeError } from '@bourse/kube'
import { makeObject } from '../../../kubernetes/make-object.ts'
import {
  type BorrowedReservation,
  type BorrowingProgress,
  type Peering,
  type Progress,
  waiting,
} from '../../port/peering.ts'
import type { PairState, Place } from '../handshake/pair-state.ts'
import { LIQO } from '../liqo/liqo-kinds.ts'
import type { LiqoChange, LiqoObjects } from '../liqo/liqo-objects.ts'
import {
  isSliceName,
  type ResourceSlice,
  reservationOf,
  resourceSlice,
  sliceName,
} from '../liqo/resource-slice.ts'
import { createOffloading } from '../offloading/offloading.ts'
import { createDrain } from './drain.ts'
import { createLeavingSlice, going } from './leaving-slice.ts'
import { nodeProgress } from './node-progress.ts'
import { isSameSize, sizeOf } from './slice-size.ts'

export type Slices = ReturnType<typeof createSlices>

export type SliceSettings = Readonly<{
  sliceClass: string
  /** How long pods may take to leave a node that goes. */
  drainTimeoutMs: number
  /** How long a provider that does not answer is waited for. */
  graceMs: number
}>

type Ports = Readonly<{
  client: KubeClient
  objects: LiqoObjects
  settings: SliceSettings
  clock: Pick<Clock, 'now' | 'monotonic'>
}>

/** What an API server has not done by then it does not do: its --request-timeout, by default. */
const ANSWERED_WITHIN_MS = 60_000

/** One slice, and so one virtual node, for each reservation, with the namespaces it asks for. */
export function createSlices({ client, objects, settings, clock }: Ports) {
  /** Written by us, until the watch tells of it. */
  const made = new Map<string, ResourceSlice>()
  /** By name, since when: asked for, and not answered. The API server may still be at it. */
  const unanswered = new Map<string, number>()
  const { drainTimeoutMs, graceMs } = settings
  const offloading = createOffloading({ client, objects })
  const drain = createDrain({ client, clock, drainTimeoutMs })
  const leave = createLeavingSlice({
    client,
    objects,
    drain,
    clock,
    graceMs,
    emptied: (name) => offloading.unoffload(reservationOf(name) ?? name),
  })

  return {
    async borrow(reservation: BorrowedReservation, pair: Place): Promise<BorrowingProgress> {
      const name = sliceName(reservation.id)
      if (!isSliceName(name)) return stopped('BadName', `${name} cannot be the name of a slice`)
      const slice = await ensure(reservation, pair)
      if (isBeingDeleted(slice)) return stopped('BeingDeleted', 'It is recreated once it is gone')
      const [virtualNode, node] = [objects.virtualNode(name), objects.node(name)]
      const made = nodeProgress({ slice, virtualNode, node })
      if (!made.isUsable) return { ...made, isDone: false }
      const offloaded = await offloading.offload(reservation, pair)
      return { ...offloaded, isUsable: true, steps: [...made.steps, ...offloaded.steps] }
    },
    /** The reservations that a change is about. */
    concernedBy({ slice, namespace }: LiqoChange): readonly string[] {
      const id = slice === undefined ? undefined : reservationOf(slice)
      const others = namespace === undefined ? [] : offloading.concernedBy(namespace)
      return id === undefined ? others : [id, ...others]
    },
    /** Nothing is borrowed from this cluster any more; true while Liqo's cleaning up is awaited. */
    async sweep(liqoId: string): Promise<boolean> {
      const leaving = await offloading.sweep(liqoId)
      return leaving.some((since) => clock.now() - Date.parse(since) <= graceMs)
    },
    /** In the order in which nothing is left behind; again until it is done. */
    async giveBack({ id }: BorrowedReservation): Promise<Progress> {
      const name = sliceName(id)
      const progress = await leave(name, current(name))
      made.delete(name)
      if (progress.isDone && isAwaited(name)) return going(`${name} may still be created`)
      return progress
    },
  }

  async function ensure(reservation: BorrowedReservation, pair: Place): Promise<ResourceSlice> {
    const { id, provider: peer } = reservation
    const known = current(sliceName(id))
    const resources = sizeOf(reservation.resources, known?.spec?.resources)
    const { sliceClass } = settings
    const wanted = resourceSlice({ reservation: id, peer, ...pair, sliceClass, resources })
    if (!known) return note(await make(wanted))
    if (isBeingDeleted(known) || isSameSize(known.spec?.resources, resources)) return known
    const patch = { spec: { resources } }
    return note(await client.mergePatch<ResourceSlice>(LIQO.resourceSlice, known.metadata, patch))
  }

  async function make(wanted: ResourceSlice): Promise<ResourceSlice> {
    const { name } = wanted.metadata
    const slice = await makeObject(client, LIQO.resourceSlice, wanted).catch((thrown) => {
      if (thrown instanceof KubeError && thrown.mayHaveHappened)
        unanswered.set(name, clock.monotonic())
      throw thrown
    })
    unanswered.delete(name)
    return slice
  }

  function isAwaited(name: string): boolean {
    const since = unanswered.get(name)
    if (since === undefined) return false
    const isOver = clock.monotonic() - since >= ANSWERED_WITHIN_MS
    if (isOver) unanswered.delete(name)
    return !isOver
  }

  function note(slice: ResourceSlice): ResourceSlice {
    made.set(slice.metadata.name, slice)
    return slice
  }

  function current(name: string): ResourceSlice | undefined {
    const told = objects.slice(name)
    if (told) for (const before of [made, unanswered]) before.delete(name)
    return told ?? made.get(name)
  }
}

function stopped(reason: string, message: string) {
  const steps = [waiting('SliceAccepted', reason, message)]
  return { steps, isDone: false, isUsable: false }
}

/** Peerings with providers, for the reservations that need them. */
type Pairing = Readonly<{
  want(provider: string, reservation: string): void
  wantNoMore(provider: string, reservation: string): void
  stateOf(provider: string): PairState
}>

/** Borrows in two stages: a peering with the provider, then a slice. */
export function createBorrower(
  pairing: Pairing,
  slices: Pick<Slices, 'borrow' | 'giveBack'>,
): Pick<Peering, 'borrow' | 'giveBack'> {
  return {
    async borrow(reservation) {
      const { id, provider } = reservation
      pairing.want(provider, id)
      const { steps, ready } = pairing.stateOf(provider)
      if (!ready) return { steps, isDone: false, isUsable: false }
      const made = await slices.borrow(reservation, ready)
      return { ...made, steps: [...steps, ...made.steps] }
    },
    async giveBack(reservation) {
      const progress = await slices.giveBack(reservation)
      if (progress.isDone) pairing.wantNoMore(reservation.provider, reservation.id)
      return progress
    },
  }
}
