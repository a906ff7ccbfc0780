import type { Command, RememberedRequest } from '@bourse/domain/ledger'
import { DamagedJournal } from '../../store/port/journal.ts'
import { WriterUnavailable } from './writer-unavailable.ts'

/** What the history on disk knows of a request id; synchronously undefined if surely nothing. */
export type Recall = (command: Command) => Promise<RememberedRequest | undefined> | undefined

type Caller = { command: Command; refuse(cause: Error): void }

/** The callers that can be decided; each command gets what the history knows of its request id. */
export async function recallRequests<C extends Caller>(callers: readonly C[], recall: Recall) {
  const known: C[] = []
  for (const caller of callers) {
    const asked = recall(caller.command)
    if (!asked || (await remembers(caller, asked))) known.push(caller)
  }
  return known
}

/** Nothing has been decided yet: a lookup that fails refuses its own caller only. */
async function remembers(caller: Caller, asked: ReturnType<Recall>): Promise<boolean> {
  try {
    const remembered = await asked
    if (remembered) caller.command = withMemory(caller.command, remembered)
    return true
  } catch (cause) {
    caller.refuse(cause instanceof DamagedJournal ? cause : notLookedUp(cause))
    return false
  }
}

function withMemory(command: Command, remembered: RememberedRequest): Command {
  if (command.kind !== 'reserve' && command.kind !== 'releaseRequest') return command
  return { ...command, remembered }
}

function notLookedUp(cause: unknown): WriterUnavailable {
  const why = cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause)
  return new WriterUnavailable(
    `This request id cannot be looked up now: ${why}. Send the request again.`,
  )
}
