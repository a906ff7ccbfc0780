import type { Clock } from '@bourse/kube'

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
