import type { LedgerWriter } from '../writer/ledger-writer.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'submit' | 'subscribe'>
  now(): number
  nextDeadline(): number | undefined
}>

/** setTimeout fires at once beyond 2^31−1 ms; an early wake-up is harmless. */
const SLEEP_MAX_MS = 60 * 60 * 1_000
/** contract: what was last heard when is written down once a minute. */
const NOTE_EVERY_MS = 60_000
/** After a tick that the journal could not commit. */
const RETRY_MS = 500

/** One timer for the next deadline, so that expiry is exact and an idle broker does nothing. */
export function startDeadlineTimer({ writer, now, nextDeadline }: Ports): { stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let armedFor = Number.POSITIVE_INFINITY
  const unsubscribe = writer.subscribe(arm)
  const notes = setInterval(() => submit('noteHeard'), NOTE_EVERY_MS)
  arm()

  return {
    stop() {
      isStopped = true
      unsubscribe()
      clearTimeout(timer)
      clearInterval(notes)
    },
  }

  function arm(): void {
    const next = nextDeadline()
    if (next === undefined || next >= armedFor) return
    clearTimeout(timer)
    armedFor = next
    timer = setTimeout(wake, Math.min(Math.max(0, next - now()), SLEEP_MAX_MS))
  }

  function wake(): void {
    submit('tick')
  }

  function submit(kind: 'tick' | 'noteHeard'): void {
    writer.submit({ kind }).then(rearm, retry)
  }

  function rearm(): void {
    // A tick may still be under way at the stop: a new timer would keep the process alive.
    if (isStopped) return
    armedFor = Number.POSITIVE_INFINITY
    arm()
  }

  function retry(): void {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(wake, RETRY_MS)
  }
}
