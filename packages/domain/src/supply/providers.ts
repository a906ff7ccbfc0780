import { baseScoreOf, type Holding, Mark, type WritableBoard } from '../placement/index.ts'
import { amountOf, type Resources } from '../quantity/resources.ts'
import { createNumberSet, type NumberSet } from '../reservation/number-set.ts'
import type { Leg, Reservation } from '../reservation/reservation.ts'
import { numberOf } from '../reservation/reservation-id.ts'
import type { ReservationIndex } from '../reservation/reservation-index.ts'
import { availableOf, holdOf, isOvercommitted, nodeFitOf } from './availability.ts'
import type { Cluster } from './cluster.ts'
import type { Conversion } from './conversion.ts'
import { createRecentGrants, type RecentGrants } from './recent-grants.ts'

/** A cluster and what it holds for others. */
export type Provider = {
  /** Always the newest value. Its `clusterId` is the key of this provider. */
  cluster: Cluster
  /** When it was last heard. Never decreases; heartbeats move it without an event. */
  advertisedAt: number
  /** Whether `cluster.advertisement.used` has any entry. */
  anyUsed: boolean
  /** Whether it is in the list of those whose holdings the board does not have yet. */
  isShifted: boolean
  /** Numbers of the reservations with a leg here that hold now (`holdsNow`). */
  readonly holding: NumberSet
  /** Numbers of ended ones that it has not let go of yet. Disjoint from `holding`. */
  readonly draining: Set<number>
  /** Σ of `holdOf` over `holding` and `draining`; the auditor recounts it. */
  readonly reserved: Record<string, bigint>
  /** Those of `holding` and `draining` that were granted since its `largestFit` was measured. */
  readonly recent: RecentGrants
}

/** What the broker knows about a cluster beside its advertisement. */
export type Standing = Readonly<{
  /** Σ over what it holds of max(0, reserved − used). */
  reserved: Resources
  /** allocatable − allocated − reserved. May be negative; shown as 0. */
  available: Resources
  isOvercommitted: boolean
  /** Base score without a request, 0 to 100. */
  baseScore: number
  /** Reservations that hold now. */
  liveCount: number
  /** When its last advertisement arrived, in the broker's time. */
  advertisedAt: number
  /** Why its prices do not count, if they do not. */
  unpriced?: string
}>

type Reservations = Pick<ReservationIndex, 'get' | 'at'>

/** The clusters, what each holds, and their copy on the board that placement scans. */
export function createProviders(board: WritableBoard, initially: Conversion) {
  let conversion = initially
  const providers = new Map<string, Provider>()

  /** Changed since the last `refreshBoard`: many changes are copied once. */
  const changed = new Set<Provider>()
  /** Only their holdings changed. A list: it has one entry for nearly every decision. */
  const shifted: Provider[] = []

  return { get, all, put, remove, hold, drain, letGo, convertBy, standing, refreshBoard }

  function get(clusterId: string): Provider | undefined {
    return providers.get(clusterId)
  }

  function all(): Iterable<Provider> {
    return providers.values()
  }

  /** Replaces a cluster. A new `used` changes what its reservations still hold. */
  function put(cluster: Cluster, reservations: Reservations): Provider {
    const provider = providers.get(cluster.clusterId) ?? newProvider(cluster)
    const before = provider.cluster.advertisement.used
    provider.cluster = cluster
    const after = cluster.advertisement.used
    provider.anyUsed = hasAny(after)
    if (before !== after) {
      for (const id in { ...before, ...after }) {
        const number = numberOf(id)
        if (!provider.holding.has(number) && !provider.draining.has(number)) continue
        for (const leg of reservations.get(id)?.legs ?? []) {
          if (leg.clusterId !== cluster.clusterId) continue
          shift(provider, holdOf(leg.resources, before[id]), -1)
          shift(provider, holdOf(leg.resources, after[id]), 1)
        }
      }
    }
    const held = () => heldBy(provider, reservations)
    provider.recent.follow(cluster.advertisement, held, cluster.clusterId)
    changed.add(provider)
    return provider
  }

  function remove(clusterId: string): void {
    const provider = providers.get(clusterId)
    if (!provider) return
    providers.delete(clusterId)
    changed.delete(provider)
    // Another cluster may take this id before the next `refreshBoard`.
    if (provider.isShifted) shifted.splice(shifted.indexOf(provider), 1)
    board.remove(clusterId)
  }

  function newProvider(cluster: Cluster): Provider {
    const provider: Provider = {
      cluster,
      advertisedAt: cluster.changedAt,
      anyUsed: false,
      isShifted: false,
      holding: createNumberSet(),
      draining: new Set(),
      reserved: {},
      recent: createRecentGrants(),
    }
    providers.set(cluster.clusterId, provider)
    return provider
  }

  function hold(provider: Provider, reservation: Reservation, leg: Leg): void {
    shift(provider, holdOf(leg.resources, usedBy(provider, reservation.id)), 1)
    provider.recent.add(reservation, leg)
    noteShift(provider)
  }

  /** It holds as much as before, and has one live reservation less. */
  function drain(provider: Provider, number: number): void {
    provider.draining.add(number)
    noteShift(provider)
  }

  function letGo(provider: Provider, id: string, leg: Leg): void {
    shift(provider, holdOf(leg.resources, usedBy(provider, id)), -1)
    provider.recent.drop(numberOf(id))
    noteShift(provider)
  }

  /** Other rates change what every cluster costs. */
  function convertBy(next: Conversion): void {
    conversion = next
    for (const provider of providers.values()) changed.add(provider)
  }

  function noteShift(provider: Provider): void {
    if (!provider.isShifted) shifted.push(provider)
    provider.isShifted = true
  }

  function refreshBoard(): void {
    for (const provider of changed) place(provider)
    for (const provider of shifted) {
      provider.isShifted = false
      if (!changed.has(provider)) shiftOnBoard(provider)
    }
    shifted.length = 0
    // `clear` allocates a new table, even for an empty set.
    if (changed.size > 0) changed.clear()
  }

  function shiftOnBoard(provider: Provider): void {
    const slot = board.slotOf(provider.cluster.clusterId)
    if (slot !== undefined) board.setHolding(slot, holdingOf(provider))
  }

  function place(provider: Provider): void {
    const { cluster } = provider
    const { allocatable, cost, location, labels, largestFit } = cluster.advertisement
    board.place(cluster.clusterId, {
      marks: marksOf(cluster),
      ...holdingOf(provider),
      allocatable,
      largestFit,
      cost: conversion.pricesOf(cost),
      location,
      labels,
    })
  }

  function standing(clusterId: string): Standing | undefined {
    const provider = providers.get(clusterId)
    if (!provider) return undefined
    const { advertisement } = provider.cluster
    const available = availableOf(advertisement, provider.reserved)
    const { unpriced } = conversion.pricesOf(advertisement.cost) ?? {}
    return {
      reserved: { ...provider.reserved },
      available,
      isOvercommitted: isOvercommitted(available, provider.reserved, () => usesOf(provider)),
      baseScore: baseScoreOf(advertisement.allocatable, available),
      liveCount: provider.holding.size,
      advertisedAt: provider.advertisedAt,
      ...(unpriced !== undefined && { unpriced }),
    }
  }
}

function holdingOf({ cluster, holding, reserved, recent }: Provider): Holding {
  const { advertisement } = cluster
  const { largestFit } = advertisement
  return {
    liveCount: holding.size,
    available: availableOf(advertisement, reserved),
    nodeFit: largestFit && nodeFitOf(largestFit, recent.total),
  }
}

function* heldBy({ holding, draining }: Provider, { at }: Reservations): Generator<Reservation> {
  for (const numbers of [holding, draining])
    for (const number of numbers) {
      const reservation = at(number)
      if (reservation) yield reservation
    }
}

/** `anyUsed` spares the look-up of the id, which takes longer than the rest. */
function usedBy({ cluster, anyUsed }: Provider, id: string): Resources | undefined {
  return anyUsed ? cluster.advertisement.used[id] : undefined
}

/** What the reservations that it holds use. */
function usesOf({ cluster, anyUsed, holding, draining }: Provider): Resources[] {
  if (!anyUsed) return []
  return Object.entries(cluster.advertisement.used)
    .filter(([id]) => holding.has(numberOf(id)) || draining.has(numberOf(id)))
    .map(([, use]) => use)
}

function hasAny(used: Readonly<Record<string, Resources>>): boolean {
  for (const _id in used) return true
  return false
}

function shift({ reserved }: Provider, amounts: Resources, sign: 1 | -1): void {
  for (const name in amounts) {
    const before = amountOf(reserved, name)
    const amount = amountOf(amounts, name)
    reserved[name] = sign > 0 ? before + amount : before - amount
  }
}

function marksOf({ isStale, accepting }: Cluster): number {
  const cordoned = accepting === 'cordoned' ? Mark.cordoned : 0
  const withdrawn = accepting === 'withdrawn' ? Mark.withdrawn : 0
  return (isStale ? Mark.stale : 0) | cordoned | withdrawn
}
