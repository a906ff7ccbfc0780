import type { Clock } from '@bourse/kube'
import type { Step } from '../../port/peering.ts'

/** How far two clusters are with each other. */
export type PairState = Readonly<{
  steps: readonly Step[]
  /** Absent: not yet, and the last step says why. */
  ready?: Readonly<{ liqoId: string; namespace: string }> | undefined
  /** Look again then, even if nothing is heard until then. */
  againAfterMs?: number | undefined
}>

/** Nothing is to be said, nor done. */
export const NOTHING: PairState = { steps: [] }
/** Of a tunnel all is watched but Liqo's Networks and Secrets. */
export const TUNNEL_AGAIN_MS = 5_000
/** Where nothing tells that it is time. */
export const LOOK_AGAIN_MS = 500

export type IdleClock = ReturnType<typeof createIdleClock>

/** Since when nothing keeps a pair together, as far as this life knows. */
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
