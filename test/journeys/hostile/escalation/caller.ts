import { request } from 'node:https'

export type Call = Readonly<{
  /** `POST /api/v1/namespaces`. */
  call: string
  body?: object
  headers?: Readonly<Record<string, string>>
}>
/** What one may try who has the token of an agent or of a broker, as a sentence. */
export type Attempt = Call &
  Readonly<{
    tries: string
    /** Needs a kubelet behind it, and so succeeds here for no caller. */
    isConnection?: true
  }>
export type Reply = Readonly<{ status: number; message: string }>
export type Caller = (call: Call) => Promise<Reply>

type Credentials = Readonly<{
  url: string
  ca: string
  token?: string
  cert?: string
  key?: string
}>

/** Speaks with an API server as a program without a client of ours would. */
export function createCaller({ url, token, ...tls }: Credentials): Caller {
  return ({ call, body, headers }) => {
    const [method = '', path = ''] = call.split(' ')
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, url), {
        ...{ method, ...tls, agent: false },
        headers: {
          'content-type': type,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      })
      sent.on('error', reject)
      sent.on('response', (reply) => {
        const { statusCode: status = 0 } = reply
        const parts: Buffer[] = []
        reply.on('data', (part: Buffer) => parts.push(part))
        reply.on('error', reject)
        reply.on('end', () => resolve({ status, message: Buffer.concat(parts).toString() }))
      })
      sent.end(body && JSON.stringify(body))
    })
  }
}
