import type { LiveOverview } from './live-overview.ts'
import { pageJson } from './page-json.ts'

/** The connection of one page. */
export type StreamClient = {
  write(text: string): void
  /** Bytes that the far side has not taken yet. */
  backlog(): number
  end(): void
}

/** At most five frames a second, however busy the ledger is. */
const FRAME_MS = 200
/** Tells the page that the connection works, the time, and which clusters were heard. */
const BEAT_MS = 3_000
const CLIENTS_MAX = 64
const BACKLOG_MAX_BYTES = 1024 * 1024

type Ports = Readonly<{ source: Pick<LiveOverview, 'frame' | 'onChange'>; now(): number }>

/**
 * Server-sent events for any number of pages, from one reading of the ledger and one text a frame.
 * A slow page is skipped, and gets the full state when it has caught up.
 */
export function createOverviewStream({ source, now }: Ports) {
  /** The value says whether that client needs everything, not only what changed. */
  const clients = new Map<StreamClient, boolean>()
  let nextFrameAt = 0
  let timer: NodeJS.Timeout | undefined
  let isReading = false
  let isChanged = false
  let beatTimer: NodeJS.Timeout | undefined
  let isBeatDue = false
  const unsubscribe = source.onChange(noteChange)

  function noteChange(): void {
    isChanged = true
    schedule()
  }

  function schedule(): void {
    if (timer !== undefined || isReading || clients.size === 0) return
    timer = setTimeout(flush, Math.max(0, nextFrameAt - now()))
  }

  function flush(): void {
    timer = undefined
    isReading = true
    const needs = { isFull: isAnyoneWaiting(), isBeat: isBeatDue }
    isChanged = false
    isBeatDue = false
    // The ledger cannot be read: pages reconnect and get the reason.
    source.frame(needs).then(broadcast, endAll)
  }

  function broadcast({ overview, update }: Awaited<ReturnType<LiveOverview['frame']>>): void {
    isReading = false
    nextFrameAt = now() + FRAME_MS
    const whole = overview && frameText('overview', overview)
    const news = update ? frameText('update', update) : whole
    for (const [client, needsAll] of clients) tell(client, needsAll ? whole : news)
    if (isChanged || isBeatDue || isAnyoneWaiting()) schedule()
  }

  /**
   * Whether a page needs the full state and has room for it. Stalled pages wait for the next beat.
   */
  function isAnyoneWaiting(): boolean {
    for (const [client, needsAll] of clients) if (needsAll && hasRoom(client)) return true
    return false
  }

  function tell(client: StreamClient, text: string | undefined): void {
    if (text === undefined || !hasRoom(client)) {
      clients.set(client, true)
      return
    }
    client.write(text)
    clients.set(client, false)
  }

  function beat(): void {
    isBeatDue = true
    schedule()
  }

  function endAll(): void {
    isReading = false
    for (const client of clients.keys()) client.end()
    clients.clear()
    clearInterval(beatTimer)
    beatTimer = undefined
  }

  return {
    /** False: too many pages are open already. */
    join(client: StreamClient): boolean {
      if (clients.size >= CLIENTS_MAX) return false
      clients.set(client, true)
      beatTimer ??= setInterval(beat, BEAT_MS)
      schedule()
      return true
    },
    leave(client: StreamClient): void {
      clients.delete(client)
      if (clients.size > 0) return
      clearInterval(beatTimer)
      beatTimer = undefined
    },
    close(): void {
      unsubscribe()
      clearTimeout(timer)
      endAll()
    },
  }
}

const hasRoom = (client: StreamClient) => client.backlog() <= BACKLOG_MAX_BYTES

function frameText(event: 'overview' | 'update', content: unknown): string {
  return `event: ${event}\ndata: ${pageJson(content)}\n\n`
}
