import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isClusterId } from '@bourse/daemon/settings'
import { type Clock, type KubeClient, type KubeObject, systemClock } from '@bourse/kube'
import type { AgentConfig } from '../config/index.ts'
import { NAMESPACE } from '../kubernetes/kinds.ts'
import { untilAnswered } from '../kubernetes/until-answered.ts'

/** The configured identity and the certificate differ: no call could succeed. */
class IdentityMismatch extends Error {
  override readonly name = 'IdentityMismatch'
  readonly advice: string
  constructor(message: string, advice: string) {
    super(message)
    this.advice = advice
  }
}

type Config = Pick<AgentConfig, 'broker' | 'clusterId'>
type Ports = Readonly<{
  client: Pick<KubeClient, 'get'>
  /** Ends the waiting. */
  signal?: AbortSignal | undefined
  /** The API server is asked again after the pause. */
  onTrouble(error: Error, pauseMs: number): void
  clock?: Pick<Clock, 'random' | 'sleep'>
}>

/**
 * contract §6: the Common Name of the certificate, if there is one, which a given id must equal;
 * otherwise the given id, otherwise the UID of the namespace kube-system, for which it waits.
 */
export async function resolveClusterId(
  { broker, clusterId }: Config,
  { client, clock = systemClock, ...waiting }: Ports,
): Promise<string> {
  if (broker.kind !== 'kubernetes') return certifiedId(broker.certPath, clusterId)
  if (clusterId !== undefined) return clusterId
  const read = () => client.get<KubeObject>(NAMESPACE, 'kube-system')
  const { metadata } = await untilAnswered(read, { clock, ...waiting })
  return metadata.uid ?? ''
}

async function certifiedId(certPath: string, clusterId: string | undefined): Promise<string> {
  const path = join(certPath, 'tls.crt')
  const commonName = await commonNameOf(path)
  if (!isClusterId(commonName))
    throw new IdentityMismatch(
      `The certificate ${path} is made out to ${JSON.stringify(commonName)}, which is not a valid cluster id.`,
      'A cluster id has only lower-case letters, digits and hyphens; `bourse ca issue rome` makes a certificate for rome',
    )
  if (clusterId !== undefined && clusterId !== commonName)
    throw new IdentityMismatch(
      `--cluster-id is ${clusterId}, but the certificate ${path} is ${commonName}'s.`,
      `Leave --cluster-id out to be ${commonName}, or give the directory of ${clusterId}'s certificate with --broker-cert-path`,
    )
  return commonName
}

async function commonNameOf(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new IdentityMismatch(
      `${path} cannot be read: ${cause.message}.`,
      'Give the directory with tls.crt, tls.key and ca.crt with --broker-cert-path; `bourse ca issue CLUSTER` makes one',
    )
  })
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new IdentityMismatch(
      `${path} is not a PEM certificate.`,
      '`bourse ca issue CLUSTER` makes one',
    )
  const names = new X509Certificate(pem).subject
    .split('\n')
    .filter((line) => line.startsWith('CN='))
  return names.length === 1 ? (names[0] ?? '').slice(3) : ''
}
