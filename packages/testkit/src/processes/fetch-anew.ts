/**
 * Over a connection of its own. One that was kept is closed by its server after a while, and whoever
 * is too busy to notice asks just then, and gets nothing.
 */
export function fetchAnew(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { connection: 'close' } })
}
