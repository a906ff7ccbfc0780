import { CLUSTER_ID_PATTERN } from '@bourse/contract'
import type { FastifyRequest } from 'fastify'
import { BrokerError } from './broker-error.ts'

/** Who is asking: a cluster by the name in its certificate, or an operator. */
export type Caller = Readonly<{ id: string; isOperator: boolean }>

const callers = new WeakMap<object, Caller>()
const clusterIdForm = new RegExp(CLUSTER_ID_PATTERN)

export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller)
}

/** Undefined only before authentication, i.e. in what is said about a failed one. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request)
}

/** For routes, which run after authentication. */
export function knownCaller(request: FastifyRequest): Caller {
  const caller = callers.get(request)
  if (!caller) throw new Error('A route ran without an authenticated caller.')
  return caller
}

export function isClusterId(id: string): boolean {
  return clusterIdForm.test(id)
}

export function requireOperator(request: FastifyRequest): void {
  const { id, isOperator } = knownCaller(request)
  if (!isOperator) throw new BrokerError('OperatorOnly', `${id} is not an operator.`)
}

export function requireSelf(request: FastifyRequest, clusterId: string): void {
  const { id, isOperator } = knownCaller(request)
  if (!isOperator && id !== clusterId)
    throw new BrokerError('NotYours', `The certificate is ${id}'s, this is about ${clusterId}.`)
}
