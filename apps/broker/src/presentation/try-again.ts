import { WriterUnavailable } from '../ledger/writer/ledger-writer.ts'
import { StoreFault } from '../store/port/store-errors.ts'
import { ExplainerBusy } from '../store/replay/explainer.ts'

/** The history answers thousands of questions in that time. */
const STORE_RETRY_SECONDS = 1

/** In how many seconds the same may succeed; undefined where it would fail again. */
export function secondsUntilAgain(error: Error): number | undefined {
  if (error instanceof WriterUnavailable || error instanceof ExplainerBusy)
    return error.retryAfterSeconds
  const isRefused = error instanceof StoreFault && error.trouble === 'refused'
  return isRefused ? STORE_RETRY_SECONDS : undefined
}
