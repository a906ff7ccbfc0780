import { setTimeout as sleep } from 'node:timers/promises'
import { isTransient } from '@bourse/kube'
import type { Logger } from 'pino'

type Ports = Readonly<{ log: Logger; signal?: AbortSignal | undefined }>

const PAUSE_FIRST_MS = 500
const PAUSE_MAX_MS = 10_000

/** As PostgreSQL's driver and the system name them; 57P03: the server is starting up. */
const PASSING = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', '57P03'],
])

/**
 * Opens a store over the network as soon as it can be reached. A broker that gave up instead would
 * be restarted ever more slowly, and be missing when the store is back.
 */
export async function awaitStore<T>(open: () => Promise<T>, { log, signal }: Ports): Promise<T> {
  for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    const opened = await open().then(
      (store) => ({ store }),
      (thrown: unknown) => ({ trouble: passingTrouble(thrown) }),
    )
    if ('store' in opened) return opened.store
    log.warn({ reason: opened.trouble }, 'the store cannot be reached: retrying')
    await sleep(pauseMs, undefined, { ...(signal && { signal }) })
  }
}

/** Says what is wrong if it can pass by itself; anything else is thrown on. */
function passingTrouble(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (thrown instanceof Error && (isTransient(thrown) || PASSING.has(code))) return thrown.message
  throw thrown
}
