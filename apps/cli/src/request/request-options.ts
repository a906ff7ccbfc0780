import type { ReservationRequest } from '@bourse/contract'
import { PRIORITY_MAX, PRIORITY_MIN } from '@bourse/contract/limits'
import { type Command, InvalidArgumentError } from 'commander'
import { optionWords } from '../connection/typed-command.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import { wholeNumber } from './whole-number.ts'

export type RequestFlags = Readonly<{
  cpu?: string
  memory?: string
  gpu?: string
  storage?: string
  resource?: Readonly<Record<string, string>>
  duration?: string
  priority?: number
  target?: string
  oneNode?: boolean
  requester?: string
  force?: boolean
}>

/** The flags of a request, the same for reserve and evaluate. */
export function withRequest(command: Command): Command {
  return command
    .option('--cpu <amount>', 'cores, such as 2, 0.5 or 500m')
    .option('--memory <amount>', 'memory, such as 4Gi')
    .option('--gpu <count>', 'GPUs')
    .option('--storage <amount>', 'ephemeral storage, such as 20Gi')
    .option('--resource <name=amount>', 'any other resource; may be repeated', collect)
    .option('--duration <duration>', 'how long, such as 1h30m (default: the broker decides)')
    .option(
      '--priority <number>',
      'higher goes first among requests that wait together',
      wholeNumber(PRIORITY_MIN, PRIORITY_MAX),
    )
    .option('--target <cluster>', 'use only this provider')
    .option('--one-node', 'refuse what no single node of a provider could take')
    .option('--requester <cluster>', 'for operators: the cluster to act for')
    .option('--force', 'for operators: also for a requester that has never advertised here')
}

export function requestOf(flags: RequestFlags): ReservationRequest {
  const { cpu, memory, gpu, storage, duration, priority, target, oneNode, requester } = flags
  const named = Object.entries({ cpu, memory, gpu, storage }).flatMap(([name, amount]) =>
    amount === undefined ? [] : [[name, amount] as const],
  )
  const [twice] = named.find(([name]) => flags.resource?.[name] !== undefined) ?? []
  if (twice !== undefined)
    throw new CliError(
      ExitCode.usage,
      `${twice} is given twice: by --${twice} and by --resource ${twice}=….`,
      'Leave one of them out.',
    )
  const requestedResources = { ...Object.fromEntries(named), ...flags.resource }
  if (Object.keys(requestedResources).length === 0)
    throw new CliError(
      ExitCode.usage,
      'Nothing was asked for.',
      'Name at least one resource, such as --cpu 2 --memory 4Gi.',
    )
  return {
    requestedResources,
    ...(duration === undefined ? {} : { duration }),
    ...(priority === undefined ? {} : { priority }),
    ...(target === undefined ? {} : { targetClusterID: target }),
    ...(oneNode ? { oneNode } : {}),
    ...(requester === undefined ? {} : { requesterID: requester }),
  }
}

/** The flags of a request as they were typed, for a command that asks for the same. */
export function requestWords(flags: RequestFlags): string[] {
  const { cpu, memory, gpu, storage, resource = {} } = flags
  const { duration, priority, target, oneNode, requester, force } = flags
  const amounts = { '--cpu': cpu, '--memory': memory, '--gpu': gpu, '--storage': storage }
  const terms = { '--duration': duration, '--target': target, '--requester': requester }
  return [
    ...optionWords(amounts),
    ...Object.entries(resource).flatMap(([name, amount]) => ['--resource', `${name}=${amount}`]),
    ...optionWords({ ...terms, '--priority': priority?.toString() }),
    ...(oneNode ? ['--one-node'] : []),
    ...(force ? ['--force'] : []),
  ]
}

function collect(
  written: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const match = /^([^=\s]+)=(\S+)$/.exec(written)
  const [, name, amount] = match ?? []
  if (!name || !amount)
    throw new InvalidArgumentError('Write NAME=AMOUNT, such as example.com/fpga=1.')
  if (before[name] !== undefined) throw new InvalidArgumentError(`${name} is given twice.`)
  return { ...before, [name]: amount }
}
