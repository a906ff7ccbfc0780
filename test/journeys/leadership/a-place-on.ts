import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, repositoryRoot } from '@bourse/testkit'
import type { ControlPlane } from '@bourse/testkit/control-plane'

const USER = 'the-broker'

export type Place = Readonly<{
  namespace: string
  /** Of a user with the rights that the chart gives to a broker, and no others. */
  kubeconfig: string
}>

/** A namespace for the brokers of one ledger. */
export async function makePlace({ kubectl, kubeconfigFor }: ControlPlane): Promise<Place> {
  const namespace = `brokers-${randomUUID().slice(0, 8)}`
  await kubectl(['create', 'namespace', namespace])
  const asRendered = readFileSync(join(repositoryRoot, 'config/rbac/broker.yaml'), 'utf8')
  const roles = asRendered.replaceAll('namespace: bourse-system', `namespace: ${namespace}`)
  await kubectl(['apply', '--server-side', '--filename=-'], roles)
  const user = `--user=${USER}`
  const here = `--namespace=${namespace}`
  await kubectl(['create', 'rolebinding', 'test', '--role=bourse-broker', user, here])
  await kubectl(['create', 'clusterrolebinding', namespace, '--clusterrole=bourse-broker', user])
  await eventually('Its rights are in force', () => may('create', 'leases', here))
  return { namespace, kubeconfig: await kubeconfigFor({ user: USER }) }

  // The API server's own view of the bindings follows a moment later.
  function may(...what: readonly string[]): Promise<true | undefined> {
    return kubectl(['auth', 'can-i', ...what, `--as=${USER}`]).then(
      () => true,
      () => undefined,
    )
  }
}

/** Flags for brokers of one ledger, in a namespace of its own. */
export async function aPlaceOn(controlPlane: ControlPlane): Promise<string[]> {
  const { namespace, kubeconfig } = await makePlace(controlPlane)
  return [`--store-namespace=${namespace}`, `--kubeconfig=${kubeconfig}`]
}
