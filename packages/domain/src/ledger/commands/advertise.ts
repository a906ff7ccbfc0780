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
  const facts = onlyHeldUse(state, command.advertisement, known)
  const advertisement = withSeenIndex(step, { facts, known, seenIndex })
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

type Measured = Readonly<{
  facts: Advertisement
  known: Provider | undefined
  seenIndex: number | undefined
}>

/**
 * Says from when on grants are to be taken off what the largest node has free. An agent that does
 * not say what it has seen knew of all before this batch. A new index alone is no new fact.
 */
function withSeenIndex({ index }: Step, { facts, known, seenIndex }: Measured): Advertisement {
  if (!facts.largestFit) return facts
  const seen = Math.min(seenIndex ?? Number.POSITIVE_INFINITY, index - 1)
  const before = known?.cluster.advertisement.seenIndex
  const isOld = before !== undefined && !(seen > before && known?.recent.wouldDrop(seen))
  return { ...facts, seenIndex: isOld ? before : seen }
}

function clusterOf({ state }: Step, clusterId: string): Cluster {
  const provider = state.providers.get(clusterId)
  if (!provider) throw new Error(`${clusterId} is missing right after its advertisement`)
  return provider.cluster
}
