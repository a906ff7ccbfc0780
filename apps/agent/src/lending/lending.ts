import type { BrokerCommunicator, Published, Stamp } from '@bourse/client'
import { given } from '@bourse/daemon/given'
import { systemClock } from '@bourse/kube'
import { createBrokerClock } from '../broker/broker-clock.ts'
import { createBrokerWatch } from '../broker/broker-watch.ts'
import type { Entry } from '../instructions/entries.ts'
import { isOver } from '../instructions/expiry.ts'
import { createInstructionKeeper } from '../instructions/instruction-keeper.ts'
import type { InstructionObject } from '../instructions/instruction-object.ts'
import { createInstructionObjects } from '../instructions/instruction-objects.ts'
import { STRANGER } from '../instructions/instruction-status.ts'
import type { SideOptions } from '../instructions/side-options.ts'
import { PROVIDER_INSTRUCTION } from '../kubernetes/kinds.ts'
import type { HeldReservation } from '../peering/port/peering.ts'
import { createProviderWork, heldOf, providerEvents } from './provider-work.ts'

type FollowerOptions = SideOptions &
  Readonly<{
    broker: Pick<BrokerCommunicator, 'watchInstructions' | 'remember'>
    /** Which broker answers, with each answer. */
    onHeard?(stamp: Stamp): void
  }>

/** The provider's side: what the broker holds on this cluster. */
export function createInstructionFollower(options: FollowerOptions) {
  const { client, broker, namespace, log, objectEvents, confirmed } = options
  const { clock = systemClock } = options
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
    log.warn({ key, pauseMs, err }, 'provider instruction not written yet')

  const objects = createInstructionObjects({
    client,
    namespace,
    role,
    keeper,
    work,
    clock,
    onTrouble,
    onCreated: ({ terms }) =>
      log.info({ requester: terms.party, reservation: terms.id }, 'provider reservation received'),
    onChanged: ({ terms }, object) =>
      objectEvents.tell(PROVIDER_INSTRUCTION, object, providerEvents.changed(terms)),
    onEnded: tellEnd,
    onStranger: (object) => objectEvents.tell(PROVIDER_INSTRUCTION, object, STRANGER),
  })
  const watch = createBrokerWatch({
    watch: (asked) => broker.watchInstructions({ ...asked, ...given({ pollMs: options.pollMs }) }),
    take({ instructions, ...stamp }) {
      keeper.take({ ...stamp, reservations: instructions })
      options.onHeard?.(stamp)
    },
    onTrouble(err, pauseMs) {
      options.watchFailed?.('instructions')
      log.warn({ pauseMs, err }, 'cannot watch instructions')
    },
    clock,
  })
  confirmed.subscribe(keeper.reconsider)
  options.peering.subscribe(objects.look)

  return {
    /** Resolves when the local instructions are read; the broker may still be unreachable. */
    async start(): Promise<void> {
      await objects.load()
      isLoaded = true
      watch.start()
    },
    async stop(): Promise<void> {
      keeper.stop()
      await Promise.all([watch.stop(), objects.stop()])
    },
    /** The reservations of the broker that have not expired by the broker's time. */
    held: (): readonly HeldReservation[] => granted().filter(counts).map(heldOf),
    /** Also those that have just expired; undefined before the local instructions are read. */
    instructed: () => (isLoaded ? granted().map(heldOf) : undefined),
    /** The broker's time; 1970 before its first answer, so that nothing ends by the local clock. */
    brokerNow: () => (brokerClock.isHeard() ? brokerClock.now() : 0),
    /** The ledger's index in the answer that `held` shows; undefined before the first answer. */
    seenIndex(): number | undefined {
      const standing = keeper.standing()
      return standing.kind === 'followed' ? standing.index : undefined
    },
    /** The ledger's index when a reservation ended here last. */
    lastEnding: keeper.lastEnding,
    /** Called after each change of `held`, also when one has expired. */
    subscribe: (listener: () => void) => keeper.subscribe(() => listener()),
    /** The answer to an advertisement carries instructions, too. */
    offer: ({ instructions, advertisement: _, ...stamp }: Published) =>
      keeper.take({ ...stamp, reservations: instructions }),
    standing: keeper.standing,
    /** Why the broker does not answer, once that has lasted. */
    trouble: watch.trouble,
  }

  function tellEnd(object: InstructionObject): void {
    const { requesterClusterID: requester, reservationName: reservation } = object.spec ?? {}
    log.info({ requester, reservation }, 'provider reservation ended')
    objectEvents.tell(PROVIDER_INSTRUCTION, object, providerEvents.ended(requester))
  }

  function granted(): Entry[] {
    return [...keeper.entries()].filter(({ isGranted }) => isGranted)
  }

  function counts(entry: Entry): boolean {
    return !isOver(entry, brokerClock)
  }
}
