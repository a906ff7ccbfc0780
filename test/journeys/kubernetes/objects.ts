import { eventually } from '@bourse/testkit'
import type { ControlPlane } from '@bourse/testkit/control-plane'

type Amounts = Readonly<Record<string, string>>
type Condition = Readonly<{ type: string; status: string; reason?: string; message?: string }>
/** What these tests look at in an object. */
export type Seen = Readonly<{
  metadata: Readonly<{
    name: string
    uid: string
    generation: number
    resourceVersion: string
    finalizers?: readonly string[]
    labels?: Amounts
    annotations?: Amounts
  }>
  spec: Readonly<{
    targetClusterID?: string
    timestamp?: string
    resources?: Readonly<Record<string, Amounts>>
  }>
  status?: Readonly<{
    phase?: string
    reason?: string
    message?: string
    score?: string
    targetClusterID?: string
    reservationID?: string
    expiresAt?: string
    available?: Amounts
    conditions?: readonly Condition[]
    observedGeneration?: number
    ledgerID?: string
    ledgerIndex?: number
  }>
}>
type Kind = 'rsv' | 'cadv'

/** Long enough for a machine that does many other things at the same time. */
export const TIMEOUT_MS = 60_000
const apiVersion = 'broker.fluidos.eu/v1alpha1'

/** Two cores and 4 GiB for a team, unless told otherwise. */
export function aReservation(name: string, spec: object = {}, namespace = 'default') {
  return {
    apiVersion,
    kind: 'Reservation',
    metadata: { name, namespace },
    spec: { requestedResources: { cpu: '2', memory: '4Gi' }, requesterID: 'user-team', ...spec },
  }
}

/** A cluster without an agent that has so many cores, all of them free. */
export function aClusterAdvertisement(name: string, clusterID: string, cpu: string, more = {}) {
  const resources = { capacity: { cpu, memory: '64Gi' } }
  return {
    apiVersion,
    kind: 'ClusterAdvertisement',
    metadata: { name, namespace: 'default' },
    spec: { clusterID, resources, ...more },
  }
}

/** kubectl, in the words of these tests. */
export function objectsOf({ kubectl }: ControlPlane) {
  return { apply, read, all, until, gone, patch, patchStatus, mark, remove }

  function apply(...objects: readonly object[]): Promise<string> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects }
    return kubectl(['apply', '--filename=-'], JSON.stringify(list))
  }

  async function read(kind: Kind, name: string): Promise<Seen | undefined> {
    const found = await kubectl(['get', kind, name, '--ignore-not-found', '--output=json'])
    return found === '' ? undefined : (JSON.parse(found) as Seen)
  }

  async function all(kind: Kind): Promise<readonly Seen[]> {
    const { items } = JSON.parse(await kubectl(['get', kind, '-A', '--output=json'])) as {
      items: Seen[]
    }
    return items
  }

  function until(kind: Kind, name: string, isSo: (seen: Seen) => boolean): Promise<Seen> {
    const look = async () => {
      const seen = await read(kind, name)
      return seen && isSo(seen) ? seen : undefined
    }
    return eventually(`${kind} ${name}: ${isSo}`, look, TIMEOUT_MS)
  }

  function gone(kind: Kind, name: string): Promise<boolean> {
    const look = async () => ((await read(kind, name)) === undefined ? true : undefined)
    return eventually(`${kind} ${name} is gone`, look, TIMEOUT_MS)
  }

  function patch(kind: Kind, name: string, change: object): Promise<string> {
    return kubectl(['patch', kind, name, '--type=merge', `--patch=${JSON.stringify(change)}`])
  }

  function patchStatus(kind: Kind, name: string, status: object): Promise<string> {
    const how = ['--subresource=status', '--type=merge']
    return kubectl(['patch', kind, name, ...how, `--patch=${JSON.stringify({ status })}`])
  }

  /** A condition on the status, as a requester sets it. */
  function mark(name: string, type: string): Promise<string> {
    return patchStatus('rsv', name, { conditions: [{ type, status: 'True', reason: 'Test' }] })
  }

  function remove(kind: Kind, name: string): Promise<string> {
    return kubectl(['delete', kind, name, '--wait=false'])
  }
}

export function conditionOf({ status }: Seen, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type)
}
