import type { BrokerCommunicator, Published, Stamp } from '@bourse/client'
import { systemClock } from '@bourse/kube'
import { createBrokerClock } from '../broker/broker-clock.ts'
import { createBrokerWatch } from '../broker/broker-watch.ts'
import { isOver } from '../instructions/expiry.ts'
import type { Entry } from '../instructions/instruction-book.ts'
import { createInstructionKeeper } from '../instructions/instruction-keeper.ts'
import type { InstructionObject } from '../instructions/instruction-object.ts'
import { createInstructionObjects } from '../instructions/instruction-objects.ts'
import { STRANGER } from '../instructions/instruction-status.ts'
import type { LedgerStanding } from '../instructions/ledger-standing.ts'
import type { SideOptions } from '../instructions/side-options.ts'
import { PROVIDER_INSTRUCTION } from '../kubernetes/kinds.ts'
import type { HeldReservation } from '../peering/port/peering.ts'
import { providerEvents } from './provider-events.ts'
import { createProviderWork, heldOf } from './provider-work.ts'

export type FollowerOptions = SideOptions &
  Readonly<{
    broker: Pick<BrokerCommunicator, 'watchInstructions' | 'remember'>
    /** Who answers, with each answer. */
    onHeard?(stamp: Stamp): void
  }>

/** The provider's side: what the broker holds on this cluster. */
export type InstructionFollower = {
  /** Resolves when the local instructions are read; the broker may still be away. */
  start(): Promise<void>
  stop(): Promise<void>
  /** What counts at this moment: told by the broker, and not over yet by the broker's time. */
  held(): readonly HeldReservation[]
  /** Also what is over and not yet forgotten; undefined before the local instructions are read. */
  instructed(): readonly HeldReservation[] | undefined
  /** The broker's time; 1970 until it was heard, so that nothing ends by the clock here alone. */
  brokerNow(): number
  /** How far the ledger was in the answer that `held` reflects; undefined before the first one. */
  seenIndex(): number | undefined
  /** Where the ledger was when something that was held here ended last. */
  lastEnding(): number | undefined
  /** Told after each change of `held`, also when time alone changed it. */
  subscribe(listener: () => void): () => void
  /** The answer to an advertisement carries instructions, too. */
  offer(published: Published): void
  standing(): LedgerStanding
  /** Why the broker is not heard, once that has lasted. */
  trouble(): string | undefined
}

export function createInstructionFollower(options: FollowerOptions): InstructionFollower {
  const { client, broker, namespace, clusterId, log, objectEvents, confirmed } = options
  const { clock = systemClock } = options
  const polling = options.pollMs === undefined ? {} : { pollMs: options.pollMs }
  const brokerClock = createBrokerClock(clock)
  let isLoaded = false
  const role = 'provider'
  const keeper = createInstructionKeeper({
    role,
    brokerClock,
    clock,
    confirmed: confirmed.current,
    remember: broker.remember,
  })
  const work = createProviderWork({ ...options, clock, brokerClock })
  const onTrouble = (err: Error, key: string, pauseMs: number) =>
    log.warn({ clusterID: clusterId, key, pauseMs, err }, 'provider instruction not written yet')

  const objects = createInstructionObjects({
    client,
    namespace,
    role,
    keeper,
    work,
    clock,
    onTrouble,
    onCreated: ({ terms }) =>
      log.info(
        { clusterID: clusterId, requester: terms.party, reservation: terms.id },
        'provider reservation received',
      ),
    onChanged: ({ terms }, object) =>
      objectEvents.tell(PROVIDER_INSTRUCTION, object, providerEvents.changed(terms)),
    onEnded: tellEnd,
    onStranger: (object) => objectEvents.tell(PROVIDER_INSTRUCTION, object, STRANGER),
  })
  const watch = createBrokerWatch({
    watch: (asked) => broker.watchInstructions({ ...asked, ...polling }),
    take({ instructions, ...stamp }) {
      keeper.take({ ...stamp, reservations: instructions })
      options.onHeard?.(stamp)
    },
    onTrouble(err, pauseMs) {
      options.watchFailed?.('instructions')
      log.warn({ clusterID: clusterId, pauseMs, err }, 'cannot watch instructions')
    },
    clock,
  })
  confirmed.subscribe(keeper.reconsider)
  options.peering.subscribe(objects.look)

  return {
    async start() {
      await objects.load()
      isLoaded = true
      watch.start()
    },
    async stop() {
      keeper.stop()
      await Promise.all([watch.stop(), objects.stop()])
    },
    held: () => granted().filter(counts).map(heldOf),
    instructed: () => (isLoaded ? granted().map(heldOf) : undefined),
    brokerNow: () => (brokerClock.isHeard() ? brokerClock.now() : 0),
    seenIndex() {
      const standing = keeper.standing()
      return standing.kind === 'followed' ? standing.index : undefined
    },
    lastEnding: keeper.lastEnding,
    subscribe: (listener) => keeper.subscribe(() => listener()),
    offer: ({ instructions, advertisement: _, ...stamp }) =>
      keeper.take({ ...stamp, reservations: instructions }),
    standing: keeper.standing,
    trouble: watch.trouble,
  }

  function tellEnd(object: InstructionObject): void {
    const { requesterClusterID: requester, reservationName: reservation } = object.spec ?? {}
    log.info({ clusterID: clusterId, requester, reservation }, 'provider reservation ended')
    objectEvents.tell(PROVIDER_INSTRUCTION, object, providerEvents.ended(requester))
  }

  function granted(): Entry[] {
    return [...keeper.entries()].filter(({ isGranted }) => isGranted)
  }

  function counts(entry: Entry): boolean {
    return !isOver(entry, brokerClock)
  }
}
