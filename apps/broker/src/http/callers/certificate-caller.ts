import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { CLUSTER_ID_LENGTH_MAX, OPERATOR_ORGANIZATION } from '@bourse/contract'
import type { Revocations } from '@bourse/pki/revocations'
import { BrokerError, cut } from '../errors/broker-error.ts'
import { type Caller, isClusterId } from './caller.ts'

type Ports = Readonly<{
  /** Whether a connection was made under the certificates now in force. */
  isCurrent(socket: TLSSocket): boolean
  revocations(): Revocations
  now(): number
}>
type Presented = Readonly<{ caller: Caller | BrokerError; validToMs: number }>

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
const ANY_USAGE = '2.5.29.37.0'
const SHOWN_NAME_MAX = 80

/** Knows callers by the one Common Name of the certificate they connected with. */
export function createCertificateCaller({ isCurrent, revocations, now }: Ports) {
  // A connection keeps its certificate and ends when the lists change, so both are read once.
  const seen = new WeakMap<TLSSocket, Presented>()

  return function identify(socket: TLSSocket): Caller {
    if (!isCurrent(socket))
      throw new BrokerError('Unavailable', 'The certificates have changed: connect again.', {
        retryAfterSeconds: 1,
      })
    const presented = seen.get(socket) ?? remember(socket)
    const { caller } = presented
    if (caller instanceof BrokerError) throw caller
    if (presented.validToMs <= now())
      throw new BrokerError('CertificateExpired', `${caller.id}'s certificate has expired.`)
    return caller
  }

  function remember(socket: TLSSocket): Presented {
    const presented = read(socket, revocations())
    seen.set(socket, presented)
    return presented
  }
}

function read(socket: TLSSocket, { isRevoked }: Revocations): Presented {
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) throw new BrokerError('InvalidIdentity', 'There is no client certificate.')
  const caller = callerIn(certificate)
  const validToMs = certificate.validToDate.getTime()
  if (caller instanceof BrokerError || !isRevoked(certificate.raw)) return { caller, validToMs }
  const detail = `${caller.id}'s certificate has been revoked.`
  return { caller: new BrokerError('CertificateRevoked', detail), validToMs }
}

export function callerIn(certificate: X509Certificate): Caller | BrokerError {
  const usages: readonly string[] | undefined = certificate.keyUsage
  if (usages && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE))
    return unusable('is not meant for clients (no clientAuth usage)')
  const { subject } = certificate.toLegacyObject()
  const names = listOf(subject.CN)
  const [id] = names
  if (id === undefined) return unusable('has no Common Name')
  if (names.length > 1) return unusable(`has ${names.length} Common Names`)
  const isOperator = listOf(subject.O).includes(OPERATOR_ORGANIZATION)
  if (isOperator || isClusterId(id)) return { id, isOperator }
  const form = `a DNS-1123 label of at most ${CLUSTER_ID_LENGTH_MAX} characters`
  const shown = JSON.stringify(cut(id, SHOWN_NAME_MAX))
  return unusable(`has the Common Name ${shown}, which is not ${form}`)
}

function unusable(what: string): BrokerError {
  return new BrokerError('InvalidIdentity', `The client certificate ${what}.`)
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : [value].flat()
}
