import {
  BrokerBusy,
  type BrokerFault,
  BrokerUnreachable,
  IdentityRefused,
  isBrokerFault,
  isUnsent,
} from '../communicator/errors.ts'
import type { Address, BrokerAddresses } from './broker-addresses.ts'
import type { NameFault } from './name-fault.ts'

type Ports = Readonly<{
  brokers: BrokerAddresses
  name: NameFault
  signal?: AbortSignal | undefined
}>

/** Brokers asked before a pause: all of the list, and the leader that one of them names. */
const ASKED_MAX = 8

/** Asks the broker that answered last; if it is unreachable or a standby, asks the next one. */
export async function askInTurn<T>(
  { brokers, name, signal }: Ports,
  ask: (address: Address) => Promise<T>,
): Promise<Readonly<{ origin: string; answer: T }>> {
  const asked = new Set<string>()
  let told: BrokerFault | undefined
  for (let address: Address | undefined = brokers.first(); address; ) {
    const { origin }: Address = address
    asked.add(origin)
    const answer: T | BrokerFault = await ask(address).catch((thrown) => name(origin, thrown))
    if (!isBrokerFault(answer)) {
      brokers.answered(address)
      return { origin, answer }
    }
    brokers.failed(address, { isSilent: isSilent(answer) })
    if (signal?.aborted || !isWithoutEffect(answer)) throw answer
    // Of several faults, prefer the one that says when to retry.
    if (!told || answer instanceof BrokerBusy) told = answer
    const leader: string | undefined = answer instanceof BrokerBusy ? answer.leader : undefined
    address = asked.size < ASKED_MAX ? brokers.next(asked, leader) : undefined
  }
  throw told
}

function isSilent(fault: BrokerFault): boolean {
  return fault instanceof BrokerUnreachable && fault.timedOut !== undefined
}

/** The request had no effect, so it may go to another broker. */
function isWithoutEffect(fault: BrokerFault): boolean {
  return isUnsent(fault) || fault instanceof IdentityRefused || fault instanceof BrokerBusy
}
