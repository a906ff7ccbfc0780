import type { Kind, KubeObject, WatchEvent } from '@bourse/kube'
import type { Sighting } from '../sighting.ts'

type Seen = KubeObject<
  Readonly<{ type?: string; unschedulable?: boolean }>,
  Readonly<{ authParams?: object }>
>

/** A moment of a peering that can be seen from outside: a step has been taken, the next has not. */
export type Moment = Sighting<Seen> &
  Readonly<{
    name: string
    /** In whose cluster it shows. */
    cluster: 'rome' | 'paris'
  }>

const kind = (group: string, plural: string, name: string): Kind => ({
  ...{ group, version: group === '' ? 'v1' : 'v1beta1', plural, kind: name },
  namespaced: name !== 'Node',
})
const SECRET = kind('', 'secrets', 'Secret')
const NODE = kind('', 'nodes', 'Node')
const TENANT = kind('authentication.liqo.io', 'tenants', 'Tenant')
const IDENTITY = kind('authentication.liqo.io', 'identities', 'Identity')
const SLICE = kind('authentication.liqo.io', 'resourceslices', 'ResourceSlice')
const QUOTA = kind('offloading.liqo.io', 'quotas', 'Quota')
const VIRTUAL_NODE = kind('offloading.liqo.io', 'virtualnodes', 'VirtualNode')

const isThere = ({ type }: WatchEvent<Seen>) => type === 'ADDED' || type === 'MODIFIED'
const isGone = ({ type }: WatchEvent<Seen>) => type === 'DELETED'
/** Deleted, or about to be once its finalizers allow it. */
const isGoing = (event: WatchEvent<Seen>) =>
  isGone(event) || has(event, ({ metadata }) => metadata.deletionTimestamp !== undefined)
const isNamed = (name: string) => (event: WatchEvent<Seen>) =>
  has(event, ({ metadata }) => metadata.name === name)
const isVirtual = ({ metadata }: Seen) => metadata.labels?.['liqo.io/type'] === 'virtual-node'
const isOfPair = ({ spec }: Seen) => spec?.type === 'ControlPlane'

export const setUp: readonly Moment[] = [
  moment('the provider has made a nonce', 'paris', SECRET, isNamed('liqo-nonce')),
  moment('the requester has it signed', 'rome', SECRET, isNamed('liqo-signed-nonce')),
  moment('the provider has made a Tenant', 'paris', TENANT, isThere),
  moment('Liqo has certified it', 'paris', TENANT, (event) =>
    has(event, ({ status }) => status?.authParams !== undefined),
  ),
  moment('the requester has made an Identity', 'rome', IDENTITY, isThere),
  moment('the requester has made a slice', 'rome', SLICE, isThere),
  moment('the provider sees the slice', 'paris', SLICE, isThere),
  moment('the slice is granted', 'paris', QUOTA, isThere),
  moment('Liqo makes a virtual node of it', 'rome', VIRTUAL_NODE, isThere),
  moment('the node is there', 'rome', NODE, (event) => has(event, isVirtual)),
]

export const teardown: readonly Moment[] = [
  moment('the node is cordoned', 'rome', NODE, (event) =>
    has(event, (node) => isVirtual(node) && node.spec?.unschedulable === true),
  ),
  moment('the slice goes', 'rome', SLICE, isGoing),
  moment('the provider sees it go', 'paris', SLICE, isGoing),
  moment('the quota is gone', 'paris', QUOTA, isGone),
  moment('the node is gone', 'rome', NODE, (event) => isGone(event) && has(event, isVirtual)),
  moment('the Identity goes', 'rome', IDENTITY, (event) => isGoing(event) && has(event, isOfPair)),
  moment('the Tenant goes', 'paris', TENANT, isGoing),
]

function moment(
  name: string,
  cluster: Moment['cluster'],
  kind: Kind,
  isIt: Moment['isIt'],
): Moment {
  return { name, cluster, kind, isIt }
}

function has(event: WatchEvent<Seen>, isSo: (object: Seen) => boolean): boolean {
  return event.type !== 'BOOKMARK' && isSo(event.object)
}
