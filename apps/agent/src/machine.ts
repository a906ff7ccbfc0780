import type { BrokerCommunicator } from '@bourse/client'
import type { KubeClient } from '@bourse/kube'
import {
  composeAdvertisement,
  createConditionLog,
  createLedgerWarning,
  createLocalAdvertisement,
  createOwnAdvertisement,
  createPublisher,
  createSupply,
  type Described,
  type Publisher,
} from './advertisement/index.ts'
import { createBorrowing } from './borrowing/index.ts'
import { accountOf, type Measurement } from './capacity/index.ts'
import type { AgentConfig } from './config/index.ts'
import {
  createConfirmedLedger,
  foremostStanding,
  type LedgerStanding,
  ledgerCondition,
} from './instructions/index.ts'
import { createObjectEvents } from './kubernetes/events.ts'
import {
  ADVERTISEMENT,
  PROVIDER_INSTRUCTION,
  RESERVATION_INSTRUCTION,
  RESOURCE_REQUEST,
} from './kubernetes/kinds.ts'
import { createWatchedClient } from './kubernetes/watched-client.ts'
import { createBorrowersOf, createInstructionFollower } from './lending/index.ts'
import { createPeering } from './peering/index.ts'
import type { HeldReservation } from './peering/port/peering.ts'
import type { Work } from './runtime/leadership.ts'
import type { Log } from './runtime/log.ts'
import type { AgentMeters } from './runtime/meters.ts'
import type { Checks } from './runtime/readiness.ts'

type Ports = Readonly<{
  config: AgentConfig
  described: Described
  client: KubeClient
  broker: BrokerCommunicator
  meters: AgentMeters
  log: Log
  crash(cause: Error): void
  /** Everything is listed, and the broker is told of it. */
  settled?(): void
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
 *   prices, sharing limits ──┼─► publisher ─► broker ─► instructions ─► ProviderInstructions
 *   instructions: held ──────┘        └─► the local Advertisement
 * ```
 */
export function createMachine(ports: Ports): Machine {
  const { config, described, broker, meters, log } = ports
  const client = createWatchedClient(ports.client, meters.watchFailed)
  const { name, namespace, requeueMs } = config.advertisement

  // 1. What the broker holds here and reserves elsewhere for us, made into objects and peerings.
  const objectEvents = createObjectEvents(client)
  const own = createOwnAdvertisement({
    ...{ client, name, namespace },
    onTrouble: (err) => log.warn({ err }, 'the Advertisement cannot be followed'),
  })
  const confirmed = createConfirmedLedger(own)
  const peering = createPeering({
    ...{ config, client, broker, objectEvents, meters, log, clusterId: described.clusterId },
    lending: () => lending,
  })
  const sides = {
    ...{ client, broker, confirmed, objectEvents, log, peering, watchFailed: meters.watchFailed },
    clusterId: described.clusterId,
    namespace: config.instructionNamespace,
    pollMs: config.instructionPollMs,
  }
  const lending = createInstructionFollower({
    ...sides,
    onHeard: (stamp) => publisher.heardFrom(stamp),
  })
  const borrowing = createBorrowing(sides)
  const { held } = lending

  // 2. What this cluster has, and what it charges.
  const borrowersOf = createBorrowersOf(held, peering.liqoIdOf)
  const supply = createSupply({ config, client, own, borrowersOf, log })
  const { measured, sharing } = supply

  // 3. Telling the broker, and showing here what was told.
  const local = createLocalAdvertisement({ client, own, name, namespace, log })
  const publisher = createPublisher({
    broker,
    compose() {
      const now = measured()
      if (!now) return undefined
      // Before the first answer there is nothing to show that the last life has not shown.
      if (publisher.state().accepted) show()
      const facts = { cost: supply.prices(), liqo: peering.facts() }
      return composeAdvertisement({ described, measured: now, held: held(), ...facts })
    },
    seenIndex: lending.seenIndex,
    lastEnding: lending.lastEnding,
    accepted: lending.offer,
    attempted: meters.attempted,
    changed: show,
    log,
    requeueMs,
  })

  const standing = () => foremostStanding(lending.standing(), borrowing.standing())
  const ledger = () => ledgerCondition(standing())
  const tell = createConditionLog(log, createLedgerWarning({ objectEvents, own }))

  function show(): void {
    const now = supply.whole()
    const account = now && accountOf(now)
    if (account) tell(account, { clusterID: described.clusterId, problems: now.problems })
    const beside = [ledger(), sharing.condition(), ...peering.conditions()]
    for (const condition of beside) tell(condition, { clusterID: described.clusterId })
    local.show(publisher.state(), account ? [...beside, account] : beside)
  }

  async function begin(): Promise<void> {
    supply.subscribe(publisher.poke)
    lending.subscribe(() => {
      publisher.poke()
      show()
    })
    borrowing.subscribe(show)
    peering.watchFacts(() => {
      publisher.poke()
      show()
    })
    // Each waits for the API server for as long as it takes; readiness tells which.
    await Promise.all([own.synced, peering.start()])
    sharing.subscribe(show)
    // What is held is known before anything is said: `available` must not be too much at first.
    await Promise.all([lending.start(), borrowing.start(), supply.start()])
    publisher.start()
    ports.settled?.()
  }

  let isStopping = false
  return {
    start: () =>
      void begin().then(undefined, (cause: Error) => {
        // Whoever is stopped while it waits for the API server has not failed.
        if (!isStopping) ports.crash(cause)
      }),
    async stop() {
      isStopping = true
      publisher.stop()
      await Promise.all([borrowing.stop(), lending.stop(), own.stop()])
      await peering.stop()
      await Promise.all([supply.stop(), local.stop(), objectEvents.stop()])
    },
    checks: {
      ...supply.checks,
      broker: () => troubleOf(publisher.state()),
      ledger: () => ledgerTrouble(ledger()),
      objects: () => own.trouble() ?? local.trouble() ?? client.troubleOf(...OWN_OBJECTS),
      requests: () => client.troubleOf(RESOURCE_REQUEST),
      ...{ instructions: lending.trouble, reservations: borrowing.trouble },
    },
    measured,
    held,
    publishing: publisher.state,
    standing,
  }
}

/** What the agent writes, and must see again. */
const OWN_OBJECTS = [ADVERTISEMENT, PROVIDER_INSTRUCTION, RESERVATION_INSTRUCTION]

function ledgerTrouble({ status, message }: ReturnType<typeof ledgerCondition>) {
  return status === 'False' ? message : undefined
}

function troubleOf({ accepted, failure }: ReturnType<Publisher['state']>): string | undefined {
  if (!failure) return accepted ? undefined : 'nothing is published yet'
  const { message, attempts, since } = failure
  return `${message} (${attempts} attempts since ${new Date(since).toISOString()})`
}
