import type { BrokerCommunicator, Stamp } from '@bourse/client'
import { given } from '@bourse/daemon/given'
import type { KubeClient } from '@bourse/kube'
import {
  composeAdvertisement,
  createConditionLog,
  createEndpoint,
  createLedgerWarning,
  createLocalAdvertisement,
  createOwnAdvertisement,
  createPublisher,
  createSupply,
  type Described,
  type Endpoint,
  type OwnAdvertisement,
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
import type { SideOptions } from './instructions/side-options.ts'
import { createObjectEvents, type ObjectEvents } from './kubernetes/events.ts'
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
  /** Where requesters reach this API server, if it is known without asking it. */
  stated?: Endpoint | undefined
  client: KubeClient
  broker: BrokerCommunicator
  meters: AgentMeters
  log: Log
  crash(cause: Error): void
  /** Everything is listed and published. */
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
 * The whole agent while it leads: all parts and their connections, on one page.
 * ```
 *   nodes, pods ─► capacity ─┐
 *   prices, sharing limits ──┼─► publisher ─► broker ─► instructions ─► ProviderInstructions
 *   instructions: held ──────┘        └─► the local Advertisement
 * ```
 */
export function createMachine(ports: Ports): Machine {
  const { config, described, broker, meters, log } = ports
  const { name, namespace, requeueMs } = config.advertisement
  const client = createWatchedClient(ports.client, meters.watchFailed)

  // 1. Reservations here and elsewhere, as objects and peerings.
  const objectEvents = createObjectEvents(client)
  const onTrouble = (err: Error) => log.warn({ err }, 'cannot watch the Advertisement')
  const own = createOwnAdvertisement({ client, name, namespace, onTrouble })
  const { peering, lending, borrowing } = createSides(ports, {
    client,
    own,
    objectEvents,
    onHeard: (stamp) => publisher.heardFrom(stamp),
  })
  const { held } = lending

  // 2. What this cluster offers, and its prices.
  const borrowersOf = createBorrowersOf(held, peering.liqoIdOf)
  const supply = createSupply({ config, client, own, borrowersOf, log })
  const { measured, sharing } = supply
  const endpoint = createEndpoint({ client, stated: ports.stated, log })

  // 3. Publishing to the broker, and showing it in the local Advertisement.
  const local = createLocalAdvertisement({ client, own, name, namespace, log })
  const publisher = createPublisher({
    broker,
    compose,
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

  function compose() {
    const now = measured()
    if (!now) return undefined
    // Before the first answer there is nothing new to show.
    if (publisher.state().accepted) show()
    const [cost, liqo, endpointUrl] = [supply.prices(), peering.facts(), endpoint.url()]
    const facts = { described: { ...described, ...given({ endpointUrl }) }, cost, liqo }
    return composeAdvertisement({ ...facts, measured: now, held: held() })
  }

  function show(): void {
    const now = supply.whole()
    const account = now && accountOf(now)
    if (account) tell(account, { problems: now.problems })
    const parts = [...endpoint.conditions(), ...peering.conditions()]
    const beside = [ledger(), sharing.condition(), ...parts]
    for (const condition of beside) tell(condition)
    local.show(publisher.state(), account ? [...beside, account] : beside)
  }

  function publishAndShow(): void {
    publisher.poke()
    show()
  }

  async function begin(): Promise<void> {
    supply.subscribe(publisher.poke)
    lending.subscribe(publishAndShow)
    peering.watchFacts(publishAndShow)
    borrowing.subscribe(show)
    // Each waits for the API server for as long as it takes; /readyz shows which.
    await Promise.all([own.synced, peering.start(), endpoint.find()])
    sharing.subscribe(show)
    // Reservations must be known before the first advertisement: `available` must not be too high.
    await Promise.all([lending.start(), borrowing.start(), supply.start()])
    publisher.start()
    ports.settled?.()
  }

  let isStopping = false
  return {
    start: () =>
      void begin().catch((cause: Error) => {
        // An error during a stop is not a failure.
        if (!isStopping) ports.crash(cause)
      }),
    async stop() {
      isStopping = true
      endpoint.stop()
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
      instructions: lending.trouble,
      reservations: borrowing.trouble,
    },
    measured,
    held,
    publishing: publisher.state,
    standing,
  }
}

type SidePorts = Readonly<{
  client: KubeClient
  own: OwnAdvertisement
  objectEvents: ObjectEvents
  /** The broker has answered. */
  onHeard(stamp: Stamp): void
}>

/** What others reserved here, what this cluster reserved elsewhere, and the peering of both. */
function createSides({ config, described, broker, meters, log }: Ports, ports: SidePorts) {
  const { client, own, objectEvents, onHeard } = ports
  const peering = createPeering({
    config,
    clusterId: described.clusterId,
    client,
    broker,
    objectEvents,
    meters,
    log,
    lending: () => lending,
  })
  const side: SideOptions = {
    namespace: config.instructionNamespace,
    pollMs: config.instructionPollMs,
    client,
    peering,
    confirmed: createConfirmedLedger(own),
    objectEvents,
    watchFailed: meters.watchFailed,
    log,
  }
  const lending = createInstructionFollower({ ...side, broker, onHeard })
  const borrowing = createBorrowing({ ...side, broker })
  return { peering, lending, borrowing }
}

/** Objects that the agent writes and must be able to watch. */
const OWN_OBJECTS = [ADVERTISEMENT, PROVIDER_INSTRUCTION, RESERVATION_INSTRUCTION]

function ledgerTrouble({ status, message }: ReturnType<typeof ledgerCondition>) {
  return status === 'False' ? message : undefined
}

function troubleOf({ accepted, failure }: ReturnType<Publisher['state']>): string | undefined {
  if (!failure) return accepted ? undefined : 'nothing is published yet'
  const { message, attempts, since } = failure
  return `${message} (${attempts} attempts since ${new Date(since).toISOString()})`
}
