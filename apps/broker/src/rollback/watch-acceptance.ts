type Ports = Readonly<{
  /** Whether the store was found to be an older copy. */
  isRolledBack(): boolean
  /** Whether no other broker has written since. */
  isStillOurs(): Promise<boolean>
  onAccepted(cause: Error): void
  everyMs?: number
}>

/** For so long a broker may refuse requests after the rollback was accepted. */
const LOOK_EVERY_MS = 1_000

/**
 * In a shared store, `bourse ledger accept-rollback` writes while a broker runs. A broker on a
 * rolled-back store commits nothing, so it would never be fenced by that batch: it polls for it.
 */
export function watchAcceptance(ports: Ports) {
  const { isRolledBack, isStillOurs, onAccepted, everyMs = LOOK_EVERY_MS } = ports
  let looking: Promise<void> | undefined
  const timer = setInterval(look, everyMs).unref()

  return {
    async stop(): Promise<void> {
      clearInterval(timer)
      await looking
    },
  }

  function look(): void {
    if (looking || !isRolledBack()) return
    looking = isStillOurs()
      // A store that does not answer is asked again.
      .then(judge, () => {})
      .finally(() => {
        looking = undefined
      })
  }

  function judge(isOurs: boolean): void {
    if (isOurs) return
    clearInterval(timer)
    onAccepted(new Error('The rolled-back store was accepted: this broker starts again on it.'))
  }
}
