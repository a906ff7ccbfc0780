import type { Logger } from 'pino'

export type RunningBroker = Readonly<{
  urls: Urls
  /** Takes no more requests, answers the open ones, closes everything. */
  close(): Promise<void>
  /** Resolves when it has closed. */
  done: Promise<void>
}>
/** Where it listens; absent: that port is not open. */
export type Urls = Readonly<{ api?: string; health?: string; metrics?: string; dashboard?: string }>

/** Closes `opened` once, however often it is asked to. */
export function running(urls: Urls, opened: AsyncDisposableStack, log: Logger): RunningBroker {
  const ended = Promise.withResolvers<void>()
  let closing: Promise<void> | undefined

  return { urls, done: ended.promise, close }

  function close(): Promise<void> {
    closing ??= shutDown()
    return closing
  }

  async function shutDown(): Promise<void> {
    log.info('stopping: open requests are answered, new ones are refused')
    await opened.disposeAsync()
    log.info('stopped')
    ended.resolve()
  }
}

/** A wildcard address is shown as localhost. */
export function urlOf(scheme: string, host: string | undefined, port: number): string {
  const shown = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${scheme}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
