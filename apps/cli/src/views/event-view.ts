import type { StreamEvent } from '@bourse/contract'
import type { Colour, Paint } from '../terminal/colours.ts'
import type { View } from '../terminal/output.ts'
import { relativeTime } from '../terminal/relative-time.ts'
import { describeQuantities, resourceWord, roundQuantity } from './quantities.ts'
import { refusedCounts } from './ranking-view.ts'

const CHANGE_COLOURS: Readonly<Record<string, Colour>> = {
  reserved: 'cyan',
  activated: 'green',
  returned: 'green',
  open: 'green',
  released: 'yellow',
  cordoned: 'yellow',
  withdrawn: 'yellow',
  staled: 'red',
  opened: 'cyan',
  stuck: 'red',
  closed: 'yellow',
}
const CHANGE_WIDTH = 10

type ClusterEvent = Extract<StreamEvent, { kind: 'cluster' }>
type Supply = NonNullable<ClusterEvent['resources']>

export function isAdvertisement(event: StreamEvent): boolean {
  return event.kind === 'cluster' && event.change === 'advertised'
}

/** Remembers what each cluster advertised last, to tell what has changed since. */
export function createEventView(): (event: StreamEvent) => View {
  const last = new Map<string, Supply>()
  return (event) => {
    if (event.kind !== 'cluster') return eventView(event)
    const before = last.get(event.clusterID)
    if (event.resources) last.set(event.clusterID, event.resources)
    return eventView(event, before)
  }
}

/** One line of the stream: when, what, who, and why if it is a decision. */
export function eventView(event: StreamEvent, before?: Supply): View {
  return ({ paint, now }) => {
    const time = paint(event.at.slice(11, 19), 'dim')
    switch (event.kind) {
      case 'reservation':
        return line(event, reservationPart(event, paint, now))
      case 'cluster':
        return line(event, clusterPart(event, before, paint))
      case 'peering':
        return line(event, peeringPart(event, paint))
      case 'reset':
        return `${time}  ${change('reset', paint)}  ${event.message}`
    }

    function line({ change: what, by, why }: Changed, part: string): string {
      return `${time}  ${change(what, paint)}  ${part}${signature(by, why)}`
    }
  }
}

type Changed = Exclude<StreamEvent, { kind: 'reset' }>

function signature(by: string | undefined, why: string | undefined): string {
  return `${by === undefined ? '' : `  by ${by}`}${why === undefined ? '' : `: ${why}`}`
}

function change(word: string, paint: Paint): string {
  const colour = CHANGE_COLOURS[word]
  return paint(word.padEnd(CHANGE_WIDTH), ...(colour ? [colour] : []))
}

function reservationPart(
  { reservation, decision, change: what }: Extract<StreamEvent, { kind: 'reservation' }>,
  paint: Paint,
  now: number,
): string {
  const { id, requesterID, targetClusterID, requestedResources, status } = reservation
  const way = `${requesterID} → ${paint(targetClusterID, 'bold')}`
  const line = `${id}  ${way}  ${describeQuantities(requestedResources)}`
  if (what === 'released') return `${line}  (${status.reason ?? 'Released'})`
  if (!decision) {
    const expires = status.endedAt ? '' : relativeTime(status.expiresAt, now)
    return expires ? `${line}  (expires ${expires})` : line
  }
  const [first, ...others] = decision.best.map(({ clusterID, score }) => `${clusterID} ${score}`)
  const next = others.length > 0 ? `, then ${others.join(', ')}` : ''
  return `${line}  ${paint(`(best ${first}${next}; ${refusedCounts(decision.refused)})`, 'dim')}`
}

function peeringPart(
  { id, requesterID, providerID, step, reason }: Extract<StreamEvent, { kind: 'peering' }>,
  paint: Paint,
): string {
  const line = `${id}  ${requesterID} → ${paint(providerID, 'bold')}  peering`
  return step || reason ? `${line} ${step ?? ''}${reason ? `(${reason})` : ''}` : line
}

function clusterPart(
  { clusterID, resources }: ClusterEvent,
  before: Supply | undefined,
  paint: Paint,
): string {
  const name = paint(clusterID, 'bold')
  if (!resources) return name
  if (!before) return `${name}  ${describeQuantities(resources.allocatable)} allocatable`
  return `${name}  ${differences(before, resources).join(', ') || 'other facts'}`
}

/** `allocated cpu 2 → 4`; of each resource that differs. */
function differences(before: Supply, now: Supply): string[] {
  return (['capacity', 'allocatable', 'allocated'] as const).flatMap((block) =>
    Object.keys({ ...before[block], ...now[block] })
      .map((name) => [name, before[block][name] ?? '0', now[block][name] ?? '0'] as const)
      .filter(([, was, is]) => was !== is)
      .map(
        ([name, was, is]) =>
          `${block} ${resourceWord(name)} ${roundQuantity(name, was)} → ${roundQuantity(name, is)}`,
      ),
  )
}
