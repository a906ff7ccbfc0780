import type { Command } from '@bourse/domain/ledger'

type Waiting = Readonly<{ command: Command }>

/**
 * Sorts waiting requests by priority, then by arrival. Only requests change places: a release or an
 * advertisement between them keeps its place.
 */
export function byPriority<T extends Waiting>(waiting: T[]): T[] {
  if (waiting.every((one) => priorityOf(one) === 0)) return waiting
  const requests = waiting
    .filter(isRequest)
    .toSorted((one, other) => priorityOf(other) - priorityOf(one))
    .values()
  return waiting.map((one) => (isRequest(one) ? (requests.next().value ?? one) : one))
}

const isRequest = ({ command }: Waiting) => command.kind === 'reserve'

const priorityOf = ({ command }: Waiting) => (command.kind === 'reserve' ? command.priority : 0)
