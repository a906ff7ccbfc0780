/** A request to answer; settles once it is answered. */
type Question = () => void | Promise<void>

type Ports = Readonly<{
  now(): number
  later(next: () => void, ms: number): void
}>
type Limits = Readonly<{
  /** CPU time per second for the answers of this port. */
  busyMsPerSecond: number
  /** How much unused time may be saved for a burst. */
  burstMs: number
}>

/** A kubelet and a Prometheus need less than a hundredth of this. */
const LIMITS: Limits = { busyMsPerSecond: 100, burstMs: 200 }
/** An answer costs more than the measured time: it is also read, parsed and sent. */
const LEAST_MS = 0.2

/**
 * Answers requests one after the other within a share of the CPU time. Addresses take turns, so
 * a flood from one of them does not delay a probe from another.
 */
export function createTurns({ now, later }: Ports, limits: Limits = LIMITS) {
  const { busyMsPerSecond, burstMs } = limits
  /** By address; the one that has waited longest for its turn is first. */
  const waiting = new Map<string, Question[]>()
  let creditMs = burstMs
  let filledAt = now()
  let isAtWork = false

  return { ask, waiting: () => [...waiting.values()].reduce((sum, { length }) => sum + length, 0) }

  function ask(address: string, question: Question): void {
    const own = waiting.get(address)
    if (own) own.push(question)
    else waiting.set(address, [question])
    if (!isAtWork) void work()
  }

  async function work(): Promise<void> {
    isAtWork = true
    for (let next = nextQuestion(); next; next = nextQuestion()) {
      await untilAffordable()
      const startedAt = now()
      await next()
      creditMs -= Math.max(LEAST_MS, now() - startedAt)
    }
    isAtWork = false
  }

  async function untilAffordable(): Promise<void> {
    fill()
    while (creditMs <= 0) {
      const missingMs = (-creditMs * 1_000) / busyMsPerSecond
      await new Promise<void>((resolve) => later(resolve, Math.ceil(missingMs) + 1))
      fill()
    }
  }

  function fill(): void {
    const at = now()
    creditMs = Math.min(burstMs, creditMs + ((at - filledAt) * busyMsPerSecond) / 1_000)
    filledAt = at
  }

  function nextQuestion(): Question | undefined {
    const [first] = waiting
    if (!first) return undefined
    const [address, questions] = first
    const question = questions.shift()
    waiting.delete(address)
    if (questions.length > 0) waiting.set(address, questions)
    return question
  }
}
