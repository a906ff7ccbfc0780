import { reached, type StepName, waiting } from '../native/steps.ts'
import type { Step } from '../peering.ts'
import type { LiqoctlLine } from './liqoctl-lines.ts'
import type { LiqoctlReply } from './run-liqoctl.ts'

/** What `liqoctl peer` says when it has got so far, in the order in which it does. */
const MILESTONES: readonly Readonly<{ type: StepName; said: string; message: string }>[] = [
  { type: 'TenantReady', said: 'Tenant status is filled', message: 'The provider knows us' },
  { type: 'IdentityReady', said: 'Identity status is filled', message: 'We may log in there' },
]

/** How far it got, and at what it stopped. */
export function stepsOf(reply: LiqoctlReply): readonly Step[] {
  const steps = [asked(), ...milestonesIn(reply.lines)]
  if (reply.kind === 'done') return steps
  const next = MILESTONES[steps.length - 1]?.type ?? 'IdentityReady'
  return [...steps, waiting(next, reply.reason, reply.message)]
}

export function running(): readonly Step[] {
  return [asked(), waiting('TenantReady', 'LiqoctlRuns', 'liqoctl peer is at work')]
}

function asked(): Step {
  return reached('PeeringRequested', 'Liqoctl', 'By liqoctl, with the kubeconfig of the provider')
}

function milestonesIn(lines: readonly LiqoctlLine[]): Step[] {
  const isSaid = (said: string) => lines.some(({ text }) => text === said)
  return MILESTONES.filter(({ said }) => isSaid(said)).map(({ type, message }) =>
    reached(type, 'Done', message),
  )
}
