import type { ProblemField } from '@bourse/contract'
import { isTransient, KubeError } from '@bourse/kube'
import {
  BrokerBusy,
  type BrokerFault,
  BrokerRefused,
  BrokerUnreachable,
  ClientClosed,
  IdentityRefused,
  isBrokerFault,
} from '../communicator/errors.ts'

/** The API server's message when a policy refuses. */
const REMEDY =
  'Bind the role bourse-cluster to this user, and give it a role for its own ClusterAdvertisement.'
const BY_POLICY = /ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request: /

/** Turns a failure of the API server or the network into a `BrokerFault`. */
export function nameKubeFault(thrown: unknown): BrokerFault {
  if (isBrokerFault(thrown)) return thrown
  // A sleep ended by `close` has it as its cause.
  if (thrown instanceof Error && isBrokerFault(thrown.cause)) return thrown.cause
  if (!(thrown instanceof KubeError))
    return new BrokerUnreachable(wordsOf(thrown), { cause: thrown })
  const { message, status, reason } = thrown
  if (reason === 'Closed') return new ClientClosed()
  if (isTransient(thrown)) return passing(thrown)
  if (status === 0 || status === 401) return new IdentityRefused(message, { cause: thrown })
  if (status === 403) return forbidden(thrown)
  if (status === 404)
    return new BrokerRefused(
      `${message}. Are the broker's CRDs installed there, and is the namespace right?`,
      { status, code: 'Unsupported' },
    )
  const fields = status === 422 ? fieldsOf(thrown) : unknownFieldsOf(message)
  return new BrokerRefused(message, { status: 400, code: 'InvalidRequest', fields })
}

function passing(fault: KubeError): BrokerFault {
  const { message, status, retryAfterSeconds, timedOut } = fault
  if (status > 0) {
    if (retryAfterSeconds === undefined) return new BrokerBusy(message, status)
    return new BrokerBusy(message, status, { retryAfterMs: retryAfterSeconds * 1_000 })
  }
  const part = timedOut === undefined || timedOut === 'total' ? {} : { timedOut }
  return new BrokerUnreachable(message, { cause: fault, ...part })
}

function forbidden(fault: KubeError): BrokerFault {
  const { message, status } = fault
  const said = BY_POLICY.exec(message)
  if (!said) return new IdentityRefused(`${message}. ${REMEDY}`, { cause: fault })
  const sentence = message.slice(said.index + said[0].length)
  return new BrokerRefused(sentence, { status, code: 'NotYours' })
}

/** Without errors that only follow from another one. */
function fieldsOf({ causes }: KubeError): readonly ProblemField[] {
  const fields = causes.flatMap(({ field, message = '' }): ProblemField[] =>
    field ? [{ path: pathOf(field), message }] : [],
  )
  const byPath = new Map(fields.map((field) => [field.path, field]))
  return [...byPath.values()].filter(
    ({ path }) => !fields.some((other) => other.path.startsWith(`${path}.`)),
  )
}

/** The API server names a field that its schema does not have only in its sentence. */
function unknownFieldsOf(message: string): readonly ProblemField[] {
  return [...message.matchAll(/unknown field "([^"]+)"/g)].map(([, field = '']) => ({
    path: pathOf(field),
    message: 'is not known',
  }))
}

function pathOf(field: string): string {
  return field.replace(/^spec\./, '').replace(/\[([\w-]+)\]/g, '.$1')
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
