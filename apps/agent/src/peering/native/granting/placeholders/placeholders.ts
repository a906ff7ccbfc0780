import { clampZero, type Resources, subtract, sum } from '@bourse/domain/quantity'
import {
  type Clock,
  createReflector,
  createWorkQueue,
  ignoring,
  isAlreadyExists,
  isBeingDeleted,
  isConflict,
  isNotFound,
  type KubeClient,
  KubeError,
} from '@bourse/kube'
import { hasEnded, onlyOf, PLACEHOLDER_LABEL, type PodObject } from '../../../../capacity/index.ts'
import { POD } from '../../../../kubernetes/kinds.ts'
import type { HeldReservation } from '../../../port/peering.ts'
import { type Guest, guestOf } from './guest.ts'
import { type Change, nextChanges, type Piece, roomFor } from './pieces.ts'
import {
  type PlaceholderSettings,
  pieceOf,
  placeholderPod,
  reservationOfPlaceholder,
} from './placeholder-pod.ts'

type Ports = Readonly<{
  client: KubeClient
  clock: Clock
  settings: PlaceholderSettings
  /** What is held at this moment; undefined: not known yet, and so nothing is let go. */
  held(): readonly HeldReservation[] | undefined
  /** The user that Liqo stamps on the pods of a reservation. */
  userOf(reservation: HeldReservation): string | undefined
  onTrouble(error: Error, key: string, pauseMs: number): void
}>

export type Placeholders = ReturnType<typeof createPlaceholders>

const OFFLOADED = 'liqo.io/managed-by=shadowpod'
const NOT_ENDED = 'status.phase!=Succeeded,status.phase!=Failed'
const NOT_KNOWN_AGAIN_MS = 200
const HANDED_OVER_AGAIN_MS = 200
/** The scheduler looks again at pods that found no place after five minutes; we sooner. */
const LOOK_AGAIN_MS = 30_000

/**
 * Keeps the room of reservations with pods that do nothing, as the scheduler knows of pods alone:
 *
 *   reserved = what the requester's pods take + what placeholders keep
 *
 * A pod of the requester's that finds no place is given that of placeholders: it is nominated for
 * their node before they go, so that the scheduler gives the room to no other pod.
 */
export function createPlaceholders(ports: Ports) {
  const { client, settings, clock } = ports
  const queue = createWorkQueue({ work: turn, onTrouble: ports.onTrouble, clock })
  /** Deleted by us, until the watch tells: they keep nothing any more. */
  const going = new Set<string | undefined>()
  /** Given a place by us, until the watch tells. */
  const nominated = new Set<string | undefined>()
  let watches: ReturnType<typeof watchBoth> | undefined

  return {
    start(): void {
      watches ??= watchBoth()
    },
    async stop(): Promise<void> {
      const { placeholders, offloaded } = watches ?? {}
      await Promise.all([queue.stop(), placeholders?.stop(), offloaded?.stop()])
    },
    look: (reservationId: string): void => void queue.add(reservationId),
    /** Whether none are left of a reservation; those that are begin to go. */
    areGone(reservationId: string): boolean {
      queue.add(reservationId)
      return watches?.placeholders.isSynced() === true && podsFor(reservationId).length === 0
    },
  }

  function watchBoth() {
    const shared = {
      client,
      kind: POD,
      clock,
      onTrouble: (error: Error, pauseMs: number) => ports.onTrouble(error, 'pods', pauseMs),
    }
    const changed = (pod: PodObject) => void queue.add(reservationOfPlaceholder(pod) ?? '')
    const removed = (pod: PodObject) => {
      going.delete(pod.metadata.uid)
      changed(pod)
    }
    return {
      placeholders: createReflector<PodObject, PodObject>({
        ...shared,
        namespace: settings.namespace,
        labelSelector: PLACEHOLDER_LABEL,
        on: { added: changed, changed, removed },
      }),
      offloaded: createReflector<Guest, PodObject>({
        ...shared,
        labelSelector: OFFLOADED,
        fieldSelector: NOT_ENDED,
        decode: guestOf,
        on: { added: heard, changed: heard, removed: heard },
      }),
    }
  }

  function heard({ metadata, user, hasPlace, isLeaving }: Guest): void {
    if (hasPlace || isLeaving) nominated.delete(metadata.uid)
    const one = ports.held()?.find((held) => ports.userOf(held) === user)
    if (one) queue.add(one.id)
  }

  function podsFor(reservationId: string): PodObject[] {
    const all = [...(watches?.placeholders.items() ?? [])]
    return all.filter((pod) => reservationOfPlaceholder(pod) === reservationId)
  }

  async function turn(id: string, signal: AbortSignal) {
    const held = ports.held()
    if (!held || !watches?.placeholders.isSynced() || !watches.offloaded.isSynced())
      return { againAfterMs: NOT_KNOWN_AGAIN_MS }
    const pods = podsFor(id).filter(isKeeping)
    // One that has ended, as when its node was full, keeps nothing.
    for (const pod of pods.filter(hasEnded)) await remove(pieceOf(pod), signal)
    const pieces = pods.filter((pod) => !hasEnded(pod)).map(pieceOf)
    const reservation = held.find((one) => one.id === id)
    if (!reservation) {
      for (const piece of pieces) await remove(piece, signal)
      return undefined
    }
    const guests = guestsOf(reservation)
    if (await makeWay(guests, pieces, signal)) return { againAfterMs: HANDED_OVER_AGAIN_MS }
    await keep(reservation, { guests, pieces }, signal)
    return { againAfterMs: LOOK_AGAIN_MS }
  }

  /** One at a time: what is left of the pieces is then known better. */
  async function makeWay(
    guests: readonly Guest[],
    pieces: readonly Piece[],
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const guest of guests) {
      if (!guest.isRefused || nominated.has(guest.metadata.uid)) continue
      const room = roomFor(guest.requests, pieces)
      if (room.length === 0) continue
      await handOver(guest, room, signal)
      nominated.add(guest.metadata.uid)
      return true
    }
    return false
  }

  function isKeeping(pod: PodObject): boolean {
    return !isBeingDeleted(pod) && !going.has(pod.metadata.uid)
  }

  async function keep(
    { id, resources }: HeldReservation,
    { guests, pieces }: Readonly<{ guests: readonly Guest[]; pieces: readonly Piece[] }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { pods: _, ...reserved } = resources
    // A leaving pod still occupies its place for a moment, so the room is not lost.
    const places = guests.filter(({ isLeaving }) => isLeaving).map(({ node }) => node)
    // A pod without a node may need the room of ours: all of it is kept until that is known.
    const settled = guests.filter(
      ({ metadata, isLeaving, hasPlace }) =>
        !isLeaving && (hasPlace || nominated.has(metadata.uid)),
    )
    // What is used beyond the reservation must not make placeholders appear.
    const taken = onlyOf(reserved, sum(settled.map(({ requests }) => requests)))
    const wanted = clampZero(subtract(reserved, taken))
    const names = freeNames(id)
    for (const change of nextChanges(wanted, pieces)) {
      const [name = '', place] = [names.next().value, places.shift()]
      await make(change, { id, name, place }, signal)
    }
  }

  /** A repeated turn, or one that knows too little, takes the same names and so adds nothing. */
  function* freeNames(id: string): Generator<string> {
    const taken = new Set(podsFor(id).map(({ metadata }) => metadata.name))
    for (let at = 1; ; at++) if (!taken.has(nameOf(id, at))) yield nameOf(id, at)
  }

  function guestsOf(reservation: HeldReservation): Guest[] {
    const user = ports.userOf(reservation)
    if (user === undefined) return []
    return [...(watches?.offloaded.items() ?? [])].filter((guest) => guest.user === user)
  }

  async function make(change: Change, where: Place, signal: AbortSignal): Promise<void> {
    switch (change.kind) {
      case 'add':
        await nominate(await add(where, change.amounts, signal), where.place, signal)
        return
      case 'remove':
        await remove(change.piece, signal)
        return
      case 'shrink':
        await handOver(await add(where, change.amounts, signal), [change.piece], signal)
        return
    }
  }

  async function add({ id, name }: Place, amounts: Resources, signal: AbortSignal) {
    const wanted = placeholderPod(name, id, { amounts, settings })
    // Of a pod's spec we only know what we read.
    const created = client.create<PodObject>(POD, wanted as PodObject, { signal })
    const pod =
      (await ignoring(isAlreadyExists, created)) ??
      (await client.get<PodObject>(POD, name, settings.namespace, { signal }))
    return { metadata: pod.metadata, node: pod.spec?.nodeName }
  }

  /** Told in this order, the scheduler keeps the room for that pod as it becomes free. */
  async function handOver(pod: Placed, room: readonly Piece[], signal: AbortSignal) {
    await nominate(pod, room[0]?.node, signal)
    for (const piece of room) await remove(piece, signal)
  }

  async function nominate(
    { metadata, node }: Placed,
    nominatedNodeName: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (node !== undefined || nominatedNodeName === undefined) return
    const patch = { metadata: { uid: metadata.uid }, status: { nominatedNodeName } }
    const told = client.mergePatch(POD, metadata, patch, { subresource: 'status', signal })
    // It is scheduled already, or gone: either way it needs no nomination.
    await ignoring((thrown) => isInvalid(thrown) || isNotFound(thrown), told)
  }

  async function remove({ name, uid }: Piece, signal: AbortSignal): Promise<void> {
    const ref = { name, namespace: settings.namespace }
    // Another of that name may have taken its place meanwhile.
    const preconditions = uid === undefined ? {} : { uid }
    const options = { gracePeriodSeconds: 0, preconditions, signal }
    const isOver = (thrown: unknown) => isNotFound(thrown) || isConflict(thrown)
    await ignoring(isOver, client.delete(POD, ref, options))
    going.add(uid)
  }
}

function isInvalid(thrown: unknown): boolean {
  return thrown instanceof KubeError && thrown.reason === 'Invalid'
}

type Placed = Pick<Guest, 'metadata' | 'node'>
type Place = Readonly<{ id: string; name: string; place?: string | undefined }>

function nameOf(reservationId: string, at: number): string {
  return `hold-${reservationId}-${at}`
}
