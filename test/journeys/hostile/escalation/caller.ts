import { request } from 'node:https'

/** Where the objects of a namespace are: `${CORE}/shop/pods`. */
export const CORE = '/api/v1/namespaces'
export const AUTHENTICATION = '/apis/authentication.liqo.io/v1beta1/namespaces'
export const OFFLOADING = '/apis/offloading.liqo.io/v1beta1/namespaces'
export const LEASES = '/apis/coordination.k8s.io/v1/namespaces'

export type Call = Readonly<{
  /** `POST /api/v1/namespaces`. */
  call: string
  body?: object
  headers?: Readonly<Record<string, string>>
}>

/** What a holder of the token of an agent or of a broker may try. */
export type Attempt = Call &
  Readonly<{
    /** A sentence without its subject: `deletes a pod of others`. */
    tries: string
    /** Needs a kubelet behind it, and so succeeds here for no caller. */
    isConnection?: true
  }>

export function attempt(tries: string, call: string, body?: object): Attempt {
  return body === undefined ? { tries, call } : { tries, call, body }
}

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
