import type { Overview, OverviewUpdate } from '@bourse/contract/dashboard'

export type LineState = 'connecting' | 'live' | 'reconnecting'

type Listener = Readonly<{
  onOverview(overview: Overview): void
  onUpdate(update: OverviewUpdate): void
  onState(state: LineState): void
}>

/** The broker sends every three seconds; after this silence the connection counts as dead. */
const SILENCE_MAX_MS = 10_000
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 15_000

/** Keeps a stream open as long as the page is open, and reports its state. */
export function openLiveLine(listener: Listener): () => void {
  let source: EventSource | undefined
  let watchdog: number | undefined
  let retryTimer: number | undefined
  let retryMs = RETRY_MIN_MS

  function open(): void {
    source = new EventSource('/data/stream')
    source.addEventListener('overview', ({ data }) => {
      heard()
      listener.onOverview(JSON.parse(data))
    })
    source.addEventListener('update', ({ data }) => {
      heard()
      listener.onUpdate(JSON.parse(data))
    })
    source.addEventListener('error', () => {
      listener.onState('reconnecting')
      // The browser retries a broken connection by itself, but not a refused one.
      if (source?.readyState === EventSource.CLOSED) reopenLater()
    })
    watch()
  }

  function heard(): void {
    retryMs = RETRY_MIN_MS
    listener.onState('live')
    watch()
  }

  function watch(): void {
    window.clearTimeout(watchdog)
    watchdog = window.setTimeout(() => {
      listener.onState('reconnecting')
      reopenLater()
    }, SILENCE_MAX_MS)
  }

  function reopenLater(): void {
    source?.close()
    window.clearTimeout(watchdog)
    window.clearTimeout(retryTimer)
    // Jitter, so that many pages do not return at the same moment.
    retryTimer = window.setTimeout(reopen, retryMs * (0.5 + Math.random()))
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS)
  }

  async function reopen(): Promise<void> {
    if (await isSignedOut()) window.location.assign('/sign-in')
    else open()
  }

  function close(): void {
    source?.close()
    window.clearTimeout(watchdog)
    window.clearTimeout(retryTimer)
  }

  listener.onState('connecting')
  open()
  return close
}

/** An event source does not say why it was refused; a plain request does. */
const isSignedOut = () =>
  fetch('/data/overview', { method: 'HEAD' }).then(
    ({ status }) => status === 401,
    () => false,
  )
