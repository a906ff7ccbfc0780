import type { PeeringNetworking } from '@bourse/contract'
import { type ForeignCluster, networkComplaint } from '../native/liqo/foreign-cluster.ts'
import { reached, type Step, type StepName, waiting } from '../port/peering.ts'
import type { LiqoctlReply } from './run-liqoctl.ts'

type Milestone = Readonly<{ type: StepName; said: string; message: string }>

const ACCESS = "This cluster has access to the provider's cluster"

/** What `liqoctl peer` writes at each stage, in its order. */
const AUTHENTICATION: readonly [Milestone, ...Milestone[]] = [
  {
    type: 'TenantReady',
    said: 'Tenant status is filled',
    message: 'The provider has accepted this cluster',
  },
  { type: 'IdentityReady', said: 'Identity status is filled', message: ACCESS },
]
/** For a tunnel that exists already it writes nothing, so this is the line after that stage. */
const NETWORK: Milestone = {
  type: 'NetworkReady',
  said: 'Tenant namespace correctly ensured',
  message: 'liqoctl has connected the two clusters',
}

/** The stages that it reached, and the one where it stopped. */
export function stepsOf(reply: LiqoctlReply, networking: PeeringNetworking): readonly Step[] {
  if (reply.kind === 'failed' && reply.reason === 'LiqoctlMissing')
    return [waiting('PeeringRequested', reply.reason, reply.message)]
  const isSaid = ({ said }: Milestone) => reply.lines.some(({ text }) => text === said)
  const milestones = milestonesOf(networking)
  const done = milestones.filter((one) => reply.kind === 'done' || isSaid(one))
  const steps = [asked(), ...done.map(({ type, message }) => reached(type, 'Done', message))]
  if (reply.kind === 'done') return steps
  const next = milestones[done.length]?.type ?? 'IdentityReady'
  return [...steps, waiting(next, reply.reason, reply.message)]
}

export function running(networking: PeeringNetworking): readonly Step[] {
  const [first] = milestonesOf(networking)
  return [asked(), waiting(first.type, 'LiqoctlRuns', 'liqoctl peer is running')]
}

function milestonesOf(networking: PeeringNetworking): readonly [Milestone, ...Milestone[]] {
  return networking === 'none' ? AUTHENTICATION : [NETWORK, ...AUTHENTICATION]
}

/** An earlier command has peered; `foreignCluster` is Liqo's current state of the provider. */
export function standingSteps(
  networking: PeeringNetworking,
  foreignCluster: ForeignCluster | undefined,
): readonly Step[] {
  const by = 'liqoctl has peered with the provider'
  return [
    reached('PeeringRequested', 'Liqoctl', by),
    reached('TenantReady', 'Done', by),
    reached('IdentityReady', 'Done', by),
    ...(networking === 'none' ? [] : [networkStep(foreignCluster)]),
  ]
}

function networkStep(foreignCluster: ForeignCluster | undefined): Step {
  const complaint = networkComplaint(foreignCluster)
  return complaint === undefined
    ? reached('NetworkReady', 'Done', NETWORK.message)
    : waiting('NetworkReady', 'TunnelDown', `The tunnel that liqoctl made is not up: ${complaint}`)
}

function asked(): Step {
  return reached(
    'PeeringRequested',
    'Liqoctl',
    "Peering by liqoctl, with the provider's kubeconfig",
  )
}
