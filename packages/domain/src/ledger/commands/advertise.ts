import type { Resources } from '../../quantity/resources.ts'
import {
  type Advertisement,
  type Cluster,
  isNewPublication,
  sameFacts,
} from '../../supply/cluster.ts'
import type { Provider } from '../../supply/providers.ts'
import type { State } from '../state/state.ts'
import type { CommandOf } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

/** Replaces a cluster's supply. Reservations on it belong to the broker and stay. */
export function advertise(step: Step, command: CommandOf<'advertise'>): Outcome {
  const { state, now } = step
  const { clusterId, door, seenIndex } = command
  const known = state.providers.get(clusterId)
  if (known && known.cluster.door !== door && !known.cluster.advertisement.isUnclaimed) {
    return { kind: 'claimedElsewhere', cluster: known.cluster }
  }
  const isSignOfLife = isNewPublication(command.advertisement, known?.cluster.advertisement)
  if (isSignOfLife) {
    state.silence.hear(clusterId, now)
    state.clusters.hear(clusterId, now)
  }

  if (known && seenIndex !== undefined) giveBack(step, known, seenIndex)
  const advertisement = onlyHeldUse(state, command.advertisement, known)
  const changed = !known || !sameFacts(known.cluster.advertisement, advertisement)
  if (changed) step.emit({ kind: 'advertised', at: now, clusterId, door, advertisement })
  else if (known.cluster.isStale && isSignOfLife)
    step.emit({ kind: 'returned', at: now, clusterId })

  return { kind: 'advertised', cluster: clusterOf(step, clusterId), changed }
}

/** Ends the drains that the agent knows of: it has applied everything up to `seenIndex`. */
function giveBack({ state, emit, now }: Step, provider: Provider, seenIndex: number): void {
  const { clusterId } = provider.cluster
  for (const number of [...provider.draining]) {
    const reservation = state.reservations.at(number)
    if (reservation && reservation.changedIndex <= seenIndex)
      emit({ kind: 'drained', at: now, reservation, clusterId })
  }
}

/** Drops the use of reservations that this cluster does not hold. */
function onlyHeldUse(
  state: State,
  advertisement: Advertisement,
  provider: Provider | undefined,
): Advertisement {
  const used: Record<string, Resources> = {}
  let ignored = false
  for (const [id, amounts] of Object.entries(advertisement.used)) {
    if (provider && state.isHeldBy(provider, id)) used[id] = amounts
    else ignored = true
  }
  return ignored ? { ...advertisement, used } : advertisement
}

function clusterOf({ state }: Step, clusterId: string): Cluster {
  const provider = state.providers.get(clusterId)
  if (!provider) throw new Error(`${clusterId} is missing right after its advertisement`)
  return provider.cluster
}
