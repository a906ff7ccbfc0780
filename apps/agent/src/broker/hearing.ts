import type { Patience } from '@bourse/kube'

/** A broker that restarts is back by then, and nobody needs to look. */
export const SILENCE_MAX_MS = 30_000

/** Whether the broker's answers come. */
export function createHearing({ monotonic }: Pick<Patience, 'monotonic'>) {
  let lost: Readonly<{ since: number; message: string }> | undefined = {
    since: monotonic(),
    message: 'nothing is heard of the broker yet',
  }
  return {
    heard(): void {
      lost = undefined
    },
    lost({ message }: Error): void {
      lost = { since: lost?.since ?? monotonic(), message }
    },
    trouble(): string | undefined {
      return lost && monotonic() - lost.since >= SILENCE_MAX_MS ? lost.message : undefined
    },
  }
}
