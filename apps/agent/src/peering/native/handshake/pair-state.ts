import type { Clock } from '@bourse/kube'
import type { Step } from '../../port/peering.ts'

/** Another cluster by Liqo's id, and the namespace here for everything about it. */
export type Place = Readonly<{ liqoId: string; namespace: string }>

/** The progress of the peering of two clusters. */
export type PairState = Readonly<{
  steps: readonly Step[]
  /** Absent: not yet, and the last step says why. */
  ready?: Place | undefined
  /** Repeat the turn then, even without an event. */
  againAfterMs?: number | undefined
}>

/** Nothing to show, nothing to do. */
export const NOTHING: PairState = { steps: [] }
/** Liqo's Networks and Secrets are the only objects of a tunnel that are not watched. */
export const TUNNEL_AGAIN_MS = 5_000
/** For changes that cause no event. */
export const LOOK_AGAIN_MS = 500

export type IdleClock = ReturnType<typeof createIdleClock>

/** Since when no reservation needs a pair, as far as this process knows. */
export function createIdleClock({ monotonic }: Pick<Clock, 'monotonic'>) {
  const since = new Map<string, number>()
  return {
    busy: (key: string): void => void since.delete(key),
    /** How much longer an idle pair is left alone; not above zero: no longer. */
    leftMs(key: string, allowedMs: number): number {
      const began = since.get(key) ?? monotonic()
      since.set(key, began)
      return allowedMs - (monotonic() - began)
    },
  }
}

/** Which reservations need a peering with which provider. */
export function createWanted(onChange: (provider: string) => void) {
  const wanted = new Map<string, Set<string>>()
  const of = (provider: string): ReadonlySet<string> => wanted.get(provider) ?? new Set()
  return {
    want(provider: string, reservation: string): void {
      if (of(provider).has(reservation)) return
      wanted.set(provider, new Set([...of(provider), reservation]))
      onChange(provider)
    },
    wantNoMore(provider: string, reservation: string): void {
      wanted.get(provider)?.delete(reservation)
      onChange(provider)
    },
    isWanted: (provider: string): boolean => of(provider).size > 0,
    /** The reservations that need this provider. */
    wantedOf: of,
    providers: (): readonly string[] => [...wanted.keys()].filter((one) => of(one).size > 0),
    /** Whether a reservation has ever needed a peering. */
    hasBegun: (): boolean => wanted.size > 0,
  }
}
