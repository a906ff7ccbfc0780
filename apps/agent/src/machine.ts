import type { BrokerCommunicator } from '@bourse/client'
import type { KubeClient } from '@bourse/kube'
import {
  composeAdvertisement,
  createCostSource,
  createLocalAdvertisement,
  createPublisher,
  type Described,
  type Publisher,
} from './advertisement/index.ts'
import type { AgentMeters } from './agent-metrics.ts'
import { createBorrowersOf } from './borrowers-of.ts'
import {
  accountOf,
  applySharing,
  createCapacityWatcher,
  type Measurement,
} from './capacity/index.ts'
import { createConditionLog } from './condition-log.ts'
import type { AgentConfig } from './config/index.ts'
import { createBorrowing } from './controllers/index.ts'
import {
  createConfirmedLedger,
  createInstructionFollower,
  createNarrator,
  foremostStanding,
  type HeldReservation,
  type LedgerStanding,
  ledgerCondition,
  ledgerOf,
} from './instructions/index.ts'
import type { Log } from './log.ts'
import type { Work } from './office.ts'
import { createPeering } from './peering/index.ts'
import type { Checks } from './readiness.ts'

type Ports = Readonly<{
  config: AgentConfig
  described: Described
  client: KubeClient
  broker: BrokerCommunicator
  meters: AgentMeters
  log: Log
  crash(cause: Error): void
}>

export type Machine = Work &
  Readonly<{
    checks: Checks
    measured(): Measurement | undefined
    held(): readonly HeldReservation[]
    publishing(): ReturnType<Publisher['state']>
    standing(): LedgerStanding
  }>

/**
 * What the agent of a cluster does while it is the one at work: who knows whom, on one page.
 * ```
 *   nodes, pods ─► capacity ─┐
 *   prices ─► cost ──────────┼─► publisher ─► broker ─► instructions ─► ProviderInstructions
 *   instructions: held ──────┘        └─► the local Advertisement
 * ```
 */
export function createMachine(ports: Ports): Machine {
  const { config, described, client, broker, meters, log } = ports

  const { name, namespace, requeueMs } = config.advertisement

  // 1. What the broker holds here and reserves elsewhere for us, made into objects and peerings.
  const narrator = createNarrator(client)
  const confirmed = createConfirmedLedger({
    client,
    name,
    namespace,
    onTrouble: (err) => log.warn({ err }, 'the Advertisement cannot be followed'),
  })
  const sides = {
    ...{ client, broker, confirmed, narrator, log },
    clusterId: described.clusterId,
    namespace: config.instructionNamespace,
    peering: createPeering(config.peering),
    pollMs: config.instructionPollMs,
  }
  const lending = createInstructionFollower(sides)
  const borrowing = createBorrowing(sides)
  const { held } = lending

  // 2. What this cluster has, and what it charges.
  const capacity = createCapacityWatcher({
    client,
    rules: config.nodeRules,
    borrowersOf: createBorrowersOf(held),
    onTrouble(err, watched) {
      meters.watchFailed(watched)
      log.warn({ err, watched }, 'a watch failed and is tried again')
    },
  })
  const measured = () => {
    const whole = capacity.current()
    return whole && applySharing(whole, config.sharing)
  }
  const cost = createCostSource({ client, config: config.cost, log })

  // 3. Telling the broker, and showing here what was told.
  const local = createLocalAdvertisement({ client, name, namespace, log })
  const publisher = createPublisher({
    broker,
    compose() {
      const now = measured()
      if (!now) return undefined
      // Before the first answer there is nothing to show that the last life has not shown.
      if (publisher.state().accepted) show()
      return composeAdvertisement({ described, measured: now, held: held(), cost: cost.current() })
    },
    seenIndex: lending.seenIndex,
    accepted: lending.offer,
    attempted: meters.attempted,
    changed: show,
    log,
    requeueMs,
  })

  const standing = () => foremostStanding(lending.standing(), borrowing.standing())
  const ledger = () => ledgerCondition(standing())

  const tell = createConditionLog(log)

  function show(): void {
    const now = capacity.current()
    const account = now && accountOf(now)
    if (account) tell(account, { clusterID: described.clusterId, problems: now.problems })
    tell(ledger(), { clusterID: described.clusterId })
    local.show(publisher.state(), account ? [ledger(), account] : [ledger()])
  }

  async function begin(): Promise<void> {
    capacity.subscribe(publisher.poke)
    cost.subscribe(publisher.poke)
    lending.subscribe(() => {
      publisher.heardFrom(ledgerOf(lending.standing()))
      publisher.poke()
      show()
    })
    borrowing.subscribe(show)
    // Each waits for the API server for as long as it takes; readiness tells which.
    await confirmed.synced
    // What is held is known before anything is said: `available` must not be too much at first.
    await Promise.all([lending.start(), borrowing.start(), capacity.start(), cost.start()])
    publisher.start()
  }

  return {
    start: () => void begin().then(undefined, ports.crash),
    async stop() {
      publisher.stop()
      await Promise.all([borrowing.stop(), lending.stop(), confirmed.stop()])
      await Promise.all([capacity.stop(), cost.stop(), local.stop(), narrator.stop()])
    },
    checks: {
      capacity: () => (capacity.current() ? undefined : 'nodes and pods are not known yet'),
      broker: () => troubleOf(publisher.state()),
      ledger: () => ledgerTrouble(ledger()),
      objects: local.trouble,
      prices: cost.trouble,
    },
    measured,
    held,
    publishing: publisher.state,
    standing,
  }
}

function ledgerTrouble({ status, message }: ReturnType<typeof ledgerCondition>) {
  return status === 'False' ? message : undefined
}

function troubleOf({ accepted, failure }: ReturnType<Publisher['state']>): string | undefined {
  if (!failure) return accepted ? undefined : 'nothing is published yet'
  const { message, attempts, since } = failure
  return `${message} (${attempts} attempts since ${new Date(since).toISOString()})`
}
