import { CLUSTER_ID_PATTERN } from '@bourse/contract'
import type { FastifyRequest } from 'fastify'
import { BrokerError } from '../errors/broker-error.ts'

/** The door of these commands: request ids and cluster ids belong to one door. */
export const DOOR = 'rest'

/** The caller: a cluster by the name in its certificate, or an operator. */
export type Caller = Readonly<{
  /** The certificate's Common Name: of a cluster always a valid cluster id. */
  id: string
  isOperator: boolean
  /** The transport that carried the call; absent: REST. */
  door?: string
}>

declare module 'fastify' {
  interface FastifyRequest {
    /** Null only before authentication, and where that has failed. */
    caller: Caller | null
  }
}

const clusterIdForm = new RegExp(CLUSTER_ID_PATTERN)

/** For routes, which run after authentication. */
export function knownCaller({ caller }: FastifyRequest): Caller {
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
