import { type Backoff, backoffMs, type Clock, KubeError } from '@bourse/kube'

type Ports = Readonly<{
  clock: Pick<Clock, 'random' | 'sleep'>
  /** Ends the waiting: the call rejects. */
  signal?: AbortSignal | undefined
  /** The call is repeated after the pause. */
  onTrouble(error: KubeError, pauseMs: number): void
}>

const BACKOFF: Backoff = { baseMs: 500, capMs: 15_000 }

/** Repeats a call until the API server answers it, however long it is away. */
export async function untilAnswered<T>(call: () => Promise<T>, ports: Ports): Promise<T> {
  const { clock, signal, onTrouble } = ports
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted()
    const answer = await call().then(
      (value) => ({ value }),
      (fault: unknown) => ({ fault }),
    )
    if ('value' in answer) return answer.value
    // A closed client is ours: nothing will come any more.
    if (!(answer.fault instanceof KubeError) || answer.fault.reason === 'Closed') throw answer.fault
    const pauseMs = backoffMs(attempts, BACKOFF, clock.random())
    onTrouble(answer.fault, pauseMs)
    await clock.sleep(pauseMs, signal)
  }
}
