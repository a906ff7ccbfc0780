import { get } from 'node:https'

export type ProbeTarget = Readonly<{
  url: string
  ca: string
  client?: Readonly<{ certificate: string; key: string }>
}>

const TIMEOUT_MS = 2_000

/** Whether the answer is 200. A new connection each time: a server that was killed has none. */
export function answersOk({ url, ca, client }: ProbeTarget): Promise<boolean> {
  const tls = { ca, ...(client && { cert: client.certificate, key: client.key }) }
  return new Promise((resolve) => {
    const request = get(url, { ...tls, agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy(new Error('no answer')))
    request.once('error', () => resolve(false))
  })
}
