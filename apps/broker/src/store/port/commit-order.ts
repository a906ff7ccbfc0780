/** One round of the writer: a batch to send, and the callers of the batch before to answer. */
type Round = Readonly<{
  /** Begins the commit; settles once the journal has it. */
  send(): Promise<void>
  /** Absent: no caller waits for an answer. */
  answer?: (() => void) | undefined
}>

/**
 * In which order a round is done. A store knows best what keeps its own commits going, so it
 * supplies one of these. In each of them the commit has begun when this resolves.
 */
export type CommitOrder = (round: Round) => Promise<Readonly<{ committing: Promise<void> }>>

/** The batch is on its way when `send` returns: the answers are made while the store works. */
export const sendFirst: CommitOrder = async ({ send, answer }) => {
  const committing = send()
  answer?.()
  return { committing }
}

/** For a store on this machine: its work and the answers would only keep each other off a core. */
export const answerFirst: CommitOrder = async ({ send, answer }) => {
  if (answer) {
    answer()
    await nextTurn()
  }
  return { committing: send() }
}

/**
 * For a store whose batches leave within a turn of the event loop, after several steps: to answer
 * many takes milliseconds, in which a store far away could work already.
 */
export const sendThenAnswerNextTurn: CommitOrder = async ({ send, answer }) => {
  const committing = send()
  if (answer) {
    // The caller that awaits the commit handles its failure; until then it must not be unhandled.
    committing.catch(() => {})
    await nextTurn()
    answer()
  }
  return { committing }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
