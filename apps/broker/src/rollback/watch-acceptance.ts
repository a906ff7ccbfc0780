type Ports = Readonly<{
  /** Whether the store was found to be an older copy. */
  isRolledBack(): boolean
  /** Whether nobody else has written since. */
  isStillOurs(): Promise<boolean>
  onAccepted(cause: Error): void
  everyMs?: number
}>

/** So long may a broker refuse what its store would take again. */
const LOOK_EVERY_MS = 1_000

/**
 * In a store that several share, `bourse ledger accept-rollback` writes beside a broker that runs.
 * One that is rolled back commits nothing, and so would never meet that batch: it looks for it.
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
      // A store that does not answer now is asked again.
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
