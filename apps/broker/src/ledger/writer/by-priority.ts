import type { Command } from '@bourse/domain/ledger'

type Waiting = Readonly<{ command: Command }>

/**
 * Of requests that wait together the higher priority goes first, then who came first. They change
 * places among themselves only: what was released or advertised between them still comes between.
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
