import { isBeingDeleted } from '@bourse/kube'
import { reached, type Step, waiting } from '../../port/peering.ts'
import { isOurs, type NamespaceOffloading, type Need } from '../liqo/namespace-offloading.ts'

const TYPE = 'NamespaceOffloaded'

/** A namespace that a reservation names, and what stands for it; `gone`: there is no such one. */
export type Seen = Readonly<{
  namespace: string
  object?: NamespaceOffloading | undefined
  isGone?: boolean
}>

type Asked = Readonly<{
  provider: string
  need: Need
  /** The label by which a pod chooses the reservation's node. */
  pin: readonly [name: string, value: string]
}>

/** All of them in one condition: the first that is stuck speaks. */
export function offloadingStep(seen: readonly Seen[], asked: Asked): Step {
  const stuck = seen.map((one) => trouble(one, asked)).find((step) => step !== undefined)
  if (stuck) return stuck
  if (seen.length === 0)
    return reached(TYPE, 'NothingSelected', 'No namespace has the requested labels')
  const { provider, pin } = asked
  const names = seen.map(({ namespace }) => namespace).join(', ')
  const selector = `nodeSelector {${pin.join(': ')}}`
  const message = `Pods of ${names} can run on ${provider}; ${selector} keeps a pod to this node`
  return reached(TYPE, 'Offloaded', message)
}

function trouble({ namespace, object, isGone }: Seen, asked: Asked): Step | undefined {
  if (isGone)
    return waiting(TYPE, 'NamespaceNotFound', `There is no namespace ${namespace}: create it`)
  if (!object) return waiting(TYPE, 'WaitingForLiqo', `Namespace ${namespace} is not offloaded yet`)
  if (isBeingDeleted(object))
    return waiting(
      TYPE,
      'Terminating',
      `Namespace ${namespace} is still being removed from its last cluster; it is offloaded after that`,
    )
  return byHand(object, asked) ?? otherStrategy(object, asked) ?? remoteTrouble(object, asked)
}

function byHand(object: NamespaceOffloading, { provider, need }: Asked): Step | undefined {
  const { namespace } = object.metadata
  if (isOurs(object) || isRequired(object, need)) return undefined
  const message =
    `Namespace ${namespace} has a NamespaceOffloading made by hand, which ` +
    `does not select ${provider}: make it select it, or delete it`
  return waiting(TYPE, 'MadeByHand', message)
}

function otherStrategy(object: NamespaceOffloading, { need }: Asked): Step | undefined {
  const { podOffloadingStrategy: strategy = 'LocalAndRemote' } = object.spec ?? {}
  if (strategy === need.strategy) return undefined
  const message = `Namespace ${object.metadata.namespace} is already offloaded as ${strategy}`
  return waiting(TYPE, 'OtherStrategy', `${message}, not as ${need.strategy}: ask for the same`)
}

/** What Liqo says of the namespace at this provider; others may be better or worse off. */
function remoteTrouble(object: NamespaceOffloading, { provider, need }: Asked): Step | undefined {
  const { metadata, status } = object
  const { namespace, generation = 0 } = metadata
  if ((status?.observedGeneration ?? 0) < generation || !isRequired(object, need)) {
    const phase = status?.offloadingPhase ?? 'Pending'
    const message = `Liqo has not created namespace ${namespace} at ${provider} yet (${phase})`
    return waiting(TYPE, 'WaitingForLiqo', message)
  }
  const ready = conditionsAt(object, need).find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') return undefined
  const { reason = 'Creating', message = 'it is being created' } = ready ?? {}
  return waiting(TYPE, reason, `Namespace ${namespace} at ${provider}: ${message}`)
}

function isRequired(object: NamespaceOffloading, need: Need): boolean {
  return conditionsAt(object, need).some(
    ({ type, status }) => type === 'OffloadingRequired' && status === 'True',
  )
}

function conditionsAt({ status }: NamespaceOffloading, { cluster }: Need) {
  return status?.remoteNamespacesConditions?.[cluster] ?? []
}
