import { ignoring, isNotFound } from '../client/errors.ts'
import { LEASE, microTime } from '../objects/kinds.ts'
import { apiVersionOf, type KubeObject } from '../objects/objects.ts'
import type { Clock } from '../time/clock.ts'
import type { Holder, LeaderLeaseOptions } from './leader-lease.ts'

type LeaseSpec = Readonly<{
  holderIdentity?: string
  leaseDurationSeconds?: number
  acquireTime?: string
  renewTime?: string
  leaseTransitions?: number
}>
type Lease = KubeObject<LeaseSpec>
type Try = Readonly<{ renewTime: string; at: number }>

/** The lease as we last saw it. */
export type Held = Readonly<{
  holder: Holder | undefined
  /** When we sent the write that it shows; undefined if another process wrote it. */
  sentAt: number | undefined
  transitions: number
  /** How long its holder may still lead. */
  freeInMs: number
}>

const ADDRESS = 'broker.fluidos.eu/leader-address'
/** A write without an answer may have succeeded, so the last few are remembered. */
const TRIES_REMEMBERED = 8
/** The API server refuses zero. */
const RELEASED_SECONDS = 1

/** Reads and writes the Lease; every write carries the version it replaces. */
export function createLeaseObject(options: LeaderLeaseOptions, clock: Clock) {
  const { client, namespace, name, identity, leaseMs, renewMs, address } = options
  // A call that hangs must leave time for another.
  const call = { timeoutMs: Math.max(250, Math.floor(renewMs / 2)), retry: false, urgent: true }
  let seen: { lease: Lease; at: number } | undefined
  let tries: readonly Try[] = []

  /** Counts from when we first saw this version: the holder's clock is not used. */
  function note(lease: Lease): Held {
    const isNew = seen?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion
    seen = { lease, at: isNew || !seen ? clock.monotonic() : seen.at }
    return heldNow(lease)
  }

  /** By what was last read. */
  function freeInMs(): number {
    const spec = seen?.lease.spec
    if (!seen || !spec?.holderIdentity) return seen ? 0 : Number.POSITIVE_INFINITY
    if (ownTry(spec)) return Number.POSITIVE_INFINITY
    const lastsMs = Math.max(leaseMs, (spec.leaseDurationSeconds ?? 0) * 1_000)
    return Math.max(0, seen.at + lastsMs - clock.monotonic())
  }

  /** Our write, not one of another process or of an earlier run with our identity. */
  function ownTry({ holderIdentity, renewTime }: LeaseSpec): Try | undefined {
    if (holderIdentity !== identity) return undefined
    return tries.find((one) => one.renewTime === renewTime)
  }

  function heldNow({ spec = {}, metadata }: Lease): Held {
    const who = spec.holderIdentity
    const own = ownTry(spec)
    return {
      holder: who ? { identity: who, address: metadata.annotations?.[ADDRESS] } : undefined,
      sentAt: own?.at,
      transitions: spec.leaseTransitions ?? 0,
      freeInMs: freeInMs(),
    }
  }

  function claim(lease: Lease | undefined, isRenewal: boolean): Lease {
    const now = microTime(clock.now())
    const before = lease?.spec
    tries = [...tries, { renewTime: now, at: clock.monotonic() }].slice(-TRIES_REMEMBERED)
    return {
      apiVersion: apiVersionOf(LEASE),
      kind: LEASE.kind,
      metadata: {
        ...(lease?.metadata ?? { name, namespace }),
        ...(address ? { annotations: { ...lease?.metadata.annotations, [ADDRESS]: address } } : {}),
      },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: leaseMs / 1_000,
        acquireTime: isRenewal ? (before?.acquireTime ?? now) : now,
        renewTime: now,
        leaseTransitions: (before?.leaseTransitions ?? 0) + (isRenewal || !before ? 0 : 1),
      },
    }
  }

  async function write(isRenewal: boolean): Promise<Held> {
    const before = seen?.lease
    const claimed = claim(before, isRenewal)
    const send = before ? client.replace(LEASE, claimed, call) : client.create(LEASE, claimed, call)
    return note(await send)
  }

  async function look(): Promise<Held | undefined> {
    const lease = await ignoring(isNotFound, client.get<Lease>(LEASE, name, namespace, call))
    if (lease) return note(lease)
    seen = undefined
    return undefined
  }

  return {
    look,
    take: () => write(false),
    // The write may have succeeded without an answer, or another process holds the lease: look.
    renew: () => write(true).catch(async () => (await look()) ?? write(true)),
    async release(): Promise<void> {
      if (!seen) return
      const { lease } = seen
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: RELEASED_SECONDS }
      await client.replace<Lease>(LEASE, { ...lease, spec }, call)
    },
    freeInMs,
  }
}
