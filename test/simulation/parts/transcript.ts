import type { Command } from '@bourse/domain/ledger'
import { formatMoney } from '@bourse/domain/quantity'
import type { Step } from './step.ts'

type Amounts = Readonly<Record<string, bigint>>
/** `isPlain`: a scenario file can say all of it. */
type Line = Readonly<{ text: string; isPlain: boolean }>

/**
 * Steps as lines of a scenario file, as in `packages/domain/scenarios`. What that language cannot
 * say is a comment that begins with `#!`.
 */
export function transcript(steps: readonly Step[], lines: readonly string[] = []): string {
  const told = steps.flatMap((step, nth) => {
    const { text, isPlain } = lineOf(step)
    const said = lines[nth] ?? ''
    const wait = step.do === 'command' && step.afterMs > 0 ? [`after ${step.afterMs}ms`] : []
    const expected = SILENT.test(text) ? undefined : expectedOf(said)
    if (!isPlain) return [...wait, `#! ${text}   # ${said}`]
    return [...wait, expected === undefined ? text : `${text} -> ${expected}`]
  })
  return told.join('\n')
}

export function isPlain(step: Step): boolean {
  return lineOf(step).isPlain
}

/** What a scenario says of an outcome. Undefined: it says more than the model does, or nothing. */
function expectedOf(said: string): string | undefined {
  const [kind = '', rest = ''] = said.split(/ (.*)/)
  switch (kind) {
    case 'changed':
    case 'unchanged':
      return rest
    case 'peering':
      return rest.replace(', unchanged', ' already')
    case 'stillHolding':
      return `still holds ${rest}`
    case 'tombstoned':
    case 'missing':
    case 'decommissioned':
    case 'peeringIdTaken':
      return kind
    default:
      return SPOKEN[kind]
  }
}

/** Lines of which a scenario expects nothing. */
const SILENT = /^(advertise|cordon|uncordon|withdraw|hear|after|rate|restart|evaluate) ?/

const SPOKEN: Readonly<Record<string, string>> = {
  requestIdReused: 'request id reused',
  wrongPhase: 'wrong phase',
  stillHeard: 'still heard',
  notYourStep: 'not your step',
  noReservation: 'no reservation',
}

function lineOf(step: Step): Line {
  switch (step.do) {
    case 'command':
      return commandLine(step.name ?? '', step.command)
    case 'restart': {
      const isPlain = step.from === 'journal' && step.outageMs === 0
      return {
        text: isPlain ? 'restart' : `restart from ${step.from} +${step.outageMs}ms`,
        isPlain,
      }
    }
    case 'evaluate': {
      const { pinned, oneNode } = step.wish
      const isPlain = pinned === undefined && !oneNode && step.hidden.length === 0
      const hidden = step.hidden.length > 0 ? ` hidden=${step.hidden.join()}` : ''
      return { text: `evaluate ${wishText(step.wish)}${hidden}`, isPlain }
    }
    case 'rates': {
      const rates = Object.entries(step.rates).map(([name, rate]) => `${name} ${formatMoney(rate)}`)
      return { text: `rate ${rates.join(', ')}`, isPlain: rates.length === 1 }
    }
    case 'forget':
      return { text: `forget ${step.count}`, isPlain: false }
    default:
      return { text: step.do, isPlain: false }
  }
}

function commandLine(name: string, command: Command): Line {
  const { kind, by } = command
  const who = by ? ` (by ${by.kind} ${by.id})` : ''
  const plain = (text: string, isPlain = true) => ({
    text: `${text}${who}`,
    isPlain: isPlain && !by,
  })
  switch (kind) {
    case 'advertise':
      return plain(...advertiseText(command))
    case 'reserve': {
      const { durationMs, requestId, door, isHeldAlready } = command
      const duration = durationMs === undefined ? '' : ` for=${durationMs}ms`
      const id = requestId === undefined ? '' : ` id=${requestId}`
      const adopted = isHeldAlready ? ' held-already' : ''
      const text = `reserve ${name} ${wishText(command)}${duration}${id}${adopted}`
      return plain(`${text}${doorText(door)}`, door === 'rest' && !isHeldAlready)
    }
    case 'activate':
      return plain(`activate ${command.id}`)
    case 'release':
      return plain(`release ${command.id}`, command.reason === undefined)
    case 'renew':
      return plain(
        `renew ${command.id} for=${command.durationMs}ms`,
        command.fingerprint === undefined,
      )
    case 'releaseRequest': {
      const { door, requester, requestId } = command
      const text = `release-request from=${requester} id=${requestId}${doorText(door)}`
      return plain(text, door === 'rest')
    }
    case 'withdraw':
      return plain(`withdraw ${command.clusterId} grace=${command.graceMs}ms`)
    case 'cordon':
    case 'uncordon':
    case 'decommission':
      return plain(`${kind} ${command.clusterId}`)
    case 'hear':
      return plain(`hear ${command.requester}`)
    case 'tick':
      return plain('after 0s')
    default:
      return peeringLine(command, plain)
  }
}

function peeringLine(command: Command, plain: (text: string, isPlain?: boolean) => Line): Line {
  switch (command.kind) {
    case 'openPeering': {
      const { id, hello, requester, provider, networking } = command
      const text = `peer ${id} ${hello} from=${requester} on=${provider}`
      return networking === 'none' ? plain(text) : plain(`${text} ${networking}`, false)
    }
    case 'postPeering':
      return plain(`say ${command.id} ${command.step} ${command.sealed} by=${command.from}`)
    case 'reportPeeringTrouble':
      return plain(`stuck ${command.id} ${command.trouble.reason} by=${command.from}`)
    case 'closePeering':
      return command.from === undefined
        ? plain(`close ${command.id}`, false)
        : plain(`close ${command.id} by=${command.from}`)
    default:
      return plain(command.kind, false)
  }
}

function doorText(door: string): string {
  return door === 'rest' ? '' : ` door=${door}`
}

type Wish = Readonly<{
  requester: string
  wanted: Amounts
  pinned?: string | undefined
  oneNode?: true | undefined
}>

function wishText({ requester, wanted, pinned, oneNode }: Wish): string {
  const target = pinned === undefined ? '' : ` on=${pinned}`
  return `from=${requester}${target} ${amountsText(wanted)}${oneNode ? ' one-node' : ''}`
}

function amountsText(amounts: Amounts): string {
  return Object.entries(amounts)
    .map(([name, amount]) => `${name}=${amount}${name === 'cpu' ? 'm' : ''}`)
    .join(' ')
}

function advertiseText(command: Extract<Command, { kind: 'advertise' }>): [string, boolean] {
  const { advertisement: facts, clusterId, door, seenIndex } = command
  const { allocatable, allocated, used, cost, largestFit, stamp, isUnclaimed, visibility } = facts
  const { currency, ...prices } = cost ?? { currency: 'USD' }
  const uses = Object.entries(used).map(([id, use]) => ` used ${id} ${amountsText(use)}`)
  const price = Object.entries(prices).map(([name, one]) => `${name}=${formatMoney(one)}`)
  const text = [
    `advertise ${clusterId} ${amountsText(allocatable)}`,
    Object.keys(allocated).length > 0 ? ` allocated ${amountsText(allocated)}` : '',
    ...uses,
    cost ? ` cost ${price.join(' ')} currency=${currency}` : '',
    largestFit ? ` fit ${amountsText(largestFit)}` : '',
    seenIndex === undefined ? '' : ` seen up to ${seenIndex}`,
    stamp === undefined ? '' : ` stamp=${stamp}`,
    isUnclaimed ? ' unclaimed' : '',
    visibility === 'full' ? ' visibility=full' : '',
    doorText(door),
  ].join('')
  const isPlain =
    seenIndex === undefined &&
    stamp === undefined &&
    !isUnclaimed &&
    visibility !== 'full' &&
    door === 'rest' &&
    uses.length < 2 &&
    (cost?.gpu ?? 0n) % 1_000_000_000n === 0n
  return [text, isPlain]
}
