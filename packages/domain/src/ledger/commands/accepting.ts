import type { CommandOf } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

/** Cordon, uncordon and withdraw: whether a cluster takes anything new. */
export function setAccepting(
  step: Step,
  command: CommandOf<'cordon'> | CommandOf<'uncordon'> | CommandOf<'withdraw'>,
): Outcome {
  const { clusterId } = command
  const before = step.state.providers.get(clusterId)?.cluster
  if (!before) return { kind: 'missing' }
  const accepting = acceptingAfter[command.kind]
  const isSame = before.accepting === accepting && command.kind !== 'withdraw'
  // A withdrawn cluster takes nothing new already; only `uncordon` ends the withdrawal.
  if (isSame || (before.accepting === 'withdrawn' && command.kind === 'cordon'))
    return { kind: 'clusterChanged', cluster: before, changed: false }

  const { now: at } = step
  const ends = command.kind === 'withdraw' ? { withdrawnAt: at + command.graceMs } : {}
  step.emit({ kind: 'acceptingChanged', at, clusterId, accepting, ...ends })
  const cluster = step.state.providers.get(clusterId)?.cluster ?? before
  return { kind: 'clusterChanged', cluster, changed: true }
}

/** Removes a cluster for good. If it advertises again, it is a new cluster. */
export function decommission(step: Step, { clusterId }: CommandOf<'decommission'>): Outcome {
  const provider = step.state.providers.get(clusterId)
  if (!provider) return { kind: 'missing' }
  const { cluster, holding, draining } = provider
  const count = holding.size + draining.size
  if (count > 0) return { kind: 'stillHolding', count }
  const { stamp, isUnclaimed } = cluster.advertisement
  if (stamp !== undefined && !isUnclaimed) return { kind: 'stillSpokenFor', cluster }

  // Its next advertisement would bring it back. Hand-made ones have no agent.
  if (stamp === undefined && !cluster.isStale)
    return { kind: 'stillHeard', silentMs: step.now - provider.advertisedAt }

  step.emit({ kind: 'decommissioned', at: step.now, clusterId })
  return { kind: 'decommissioned', cluster }
}

const acceptingAfter = { cordon: 'cordoned', uncordon: 'open', withdraw: 'withdrawn' } as const
