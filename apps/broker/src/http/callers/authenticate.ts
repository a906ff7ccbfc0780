import { API_BASE } from '@bourse/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Admission, whyDenied } from '../../intake/admission.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { type Caller, knownCaller } from './caller.ts'
import { type Charging, callerBehind, UNADMITTED } from './charge-requests.ts'

type Ports = Readonly<{
  /** The certificate's caller; throws a BrokerError if the certificate names none. */
  identify(request: FastifyRequest): Caller
  admission(): Admission
  charging: Pick<Charging, 'begin'>
  heard(clusterId: string): void
}>

const openToAll: ReadonlySet<string> = new Set(['/healthz', `${API_BASE}/healthz`])

/** The path is compared first: finding out the route takes longer than all the rest. */
function isOpenToAll(request: FastifyRequest): boolean {
  return request.url.includes('/healthz') && openToAll.has(request.routeOptions.url ?? '')
}

/** Whether a caller would still be admitted: for streams and polls, which stay open. */
export type IsStillWelcome = (request: FastifyRequest) => boolean

declare module 'fastify' {
  interface FastifyRequest {
    /** The lists that its caller was admitted by. */
    admittedBy: Admission | null
  }
}

/**
 * Asks on every request, not once a connection: revoked or denied means from now on. And again
 * before it is carried out: its body may come long after its headers.
 */
export function authenticate(server: FastifyInstance, ports: Ports): IsStillWelcome {
  const { charging } = ports
  server.decorateRequest('caller', null)
  server.decorateRequest('admittedBy', null)
  server.addHook('onRequest', (request, _reply, done) => {
    // Every certified client may ask for the health.
    if (isOpenToAll(request))
      return charging.begin(
        request,
        callerBehind(() => ports.identify(request)),
        done,
      )
    const refusal = refusalOf(() => letIn(request))
    // A refusal is charged, too; not that of a caller that has to connect again.
    if (refusal && refusal.code !== 'Unavailable')
      charging.begin(request, UNADMITTED, (tooMuch) => done(tooMuch ?? refusal))
    else if (refusal) done(refusal)
    else charging.begin(request, knownCaller(request), done)
  })

  function letIn(request: FastifyRequest): void {
    const caller = ports.identify(request)
    request.caller = caller
    request.admittedBy = ports.admission()
    admit(caller, request.admittedBy)
    // An operator acts for others: only a cluster's own call is a sign of its life.
    if (!caller.isOperator) ports.heard(caller.id)
  }

  server.addHook('preHandler', (request, _reply, done) => {
    if (request.caller) admitAgain(request)
    done()
  })

  /** Unchanged lists need no second look; a certificate may have expired. */
  function admitAgain(request: FastifyRequest): void {
    const caller = ports.identify(request)
    const lists = ports.admission()
    if (lists !== request.admittedBy) admit(caller, lists)
  }

  return (request) => !refusalOf(() => admit(ports.identify(request), ports.admission()))
}

function refusalOf(ask: () => unknown): BrokerError | undefined {
  try {
    ask()
    return undefined
  } catch (refusal) {
    if (refusal instanceof BrokerError) return refusal
    throw refusal
  }
}

/** An operator is not a cluster: the allow list does not apply. */
function admit({ id, isOperator }: Caller, { allow, deny }: Admission): void {
  const why = whyDenied(id, { deny, ...(allow && !isOperator && { allow }) })
  if (why !== undefined) throw new BrokerError('ClusterDenied', why)
}
