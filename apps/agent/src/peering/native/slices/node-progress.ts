import { conditionOf, isTrue } from '@bourse/kube'
import { reached, type Step, waiting } from '../../port/peering.ts'
import {
  type Node,
  type ResourceSlice,
  sliceCondition,
  type VirtualNode,
} from '../liqo/resource-slice.ts'
import { covers, exceeds, isSameSize, shortOf } from './slice-size.ts'

export type Made = Readonly<{
  slice: ResourceSlice
  virtualNode?: VirtualNode | undefined
  node?: Node | undefined
}>

/** From a slice to a node that pods can run on. Only the Node's own word counts as the proof. */
export function nodeProgress(made: Made): Readonly<{ steps: Step[]; isUsable: boolean }> {
  const accepted = acceptance(made.slice)
  // Until a resize is answered the node is there, with the amounts before.
  if (accepted.status !== 'True' && accepted.reason !== RESIZING)
    return { steps: [accepted], isUsable: false }
  const steps = [accepted, readiness(made)]
  return { steps, isUsable: steps.every(({ status }) => status === 'True') }
}

function acceptance(slice: ResourceSlice): Step {
  const type = 'SliceAccepted'
  for (const asked of ['Authentication', 'Resources'] as const) {
    const { status, reason, message } = sliceCondition(slice, asked) ?? {}
    if (status === 'Denied')
      return waiting(type, reason || 'Denied', message || `The provider has denied ${asked}`)
    if (status !== 'Accepted') return waiting(type, 'WaitingForProvider', AWAITED[asked])
  }
  const { resources: granted } = slice.status ?? {}
  const asked = slice.spec?.resources
  const short = shortOf(granted, asked)
  if (short.length === 0 && !exceeds(granted, asked))
    return reached(type, 'Granted', 'The provider has granted all of it')
  if (isAnswered(slice, short))
    return reached(type, 'Capped', `The provider has granted less than asked: ${short.join(', ')}`)
  return waiting(type, RESIZING, "The provider's agent has not answered the new amounts yet")
}

const RESIZING = 'ResizeNotAnswered'

/** Whether the provider's answer is about what is asked now: only one that caps grants less. */
function isAnswered(slice: ResourceSlice, short: readonly string[]): boolean {
  const { reason, message = '' } = sliceCondition(slice, 'Resources') ?? {}
  if (reason !== 'Capped' || exceeds(slice.status?.resources, slice.spec?.resources)) return false
  return short.every((one) => message.includes(` ${one}`))
}

const AWAITED = {
  Authentication: "Liqo is copying the slice to the provider's cluster",
  Resources: "The provider's agent has not decided yet",
}

function readiness({ slice, virtualNode, node }: Made): Step {
  const type = 'NodeReady'
  const { name } = slice.metadata
  const granted = slice.status?.resources
  if (!virtualNode)
    return waiting(type, 'WaitingForLiqo', `Liqo has not made VirtualNode ${name} yet`)
  if (!node)
    return waiting(
      type,
      'WaitingForKubelet',
      `The virtual-kubelet of ${name} has not created its Node yet`,
    )
  const isPlanned = isSameSize(virtualNode.spec?.resourceQuota?.hard, granted)
  if (!isPlanned || !covers(node.status?.allocatable, granted))
    return waiting(type, 'Resizing', `Node ${name} does not have the granted amounts yet`)
  const { conditions } = node.status ?? {}
  if (isTrue(conditions, 'Ready')) return reached(type, 'Ready', `Node ${name} is ready`)
  const said = conditionOf(conditions, 'Ready')?.message
  return waiting(type, 'NodeNotReady', said || `Node ${name} is not ready yet`)
}
