import { AGENT_GROUP, KINDS_VERSION } from '@bourse/contract/names'
import type { Condition, Kind, KubeObject } from '@bourse/kube'

/** The kinds of contract §5 in an agent's cluster, without the schemas and their library. */
export const ADVERTISEMENT = ours('Advertisement')
export const RESOURCE_REQUEST = ours('ResourceRequest')
export const RESERVATION_INSTRUCTION = ours('ReservationInstruction')
export const PROVIDER_INSTRUCTION = ours('ProviderInstruction')

function ours(kind: string): Kind {
  const plural = `${kind.toLowerCase()}s`
  return { group: AGENT_GROUP, version: KINDS_VERSION, plural, kind, namespaced: true }
}

export const CONFIG_MAP = core('ConfigMap', true)
export const NAMESPACE = core('Namespace', false)
export const NODE = core('Node', false)
export const POD = core('Pod', true)
export const SECRET = core('Secret', true)
export const DEPLOYMENT: Kind = { ...core('Deployment', true), group: 'apps' }
/** Those of a Service; the core kind Endpoints is deprecated. */
export const ENDPOINT_SLICE: Kind = {
  ...core('EndpointSlice', true),
  group: 'discovery.k8s.io',
}
/** Liqo tells of refusals in events of the core group. */
export const CORE_EVENT = core('Event', true)

function core(kind: string, namespaced: boolean): Kind {
  return { group: '', version: 'v1', plural: `${kind.toLowerCase()}s`, kind, namespaced }
}

export type ConfigMap = KubeObject & Readonly<{ data?: Readonly<Record<string, string>> }>

/** A condition as a part of the agent states it, without its times. */
export type StatedCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>
