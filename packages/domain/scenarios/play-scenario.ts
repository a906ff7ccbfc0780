import { expect } from 'vitest'
import {
  type Advertisement,
  createLedger,
  type LedgerEvent,
  type Outcome,
  type PeeringSession,
  type PeeringStep,
  type Reservation,
} from '../src/ledger/index.ts'
import {
  defaultPolicy,
  formatScore,
  largestNodeSentence,
  type Ranking,
} from '../src/placement/index.ts'
import { amountOf, clampZero, formatAmount, parseMoney } from '../src/quantity/index.ts'
import { durationOf, type Line, pairsIn, resourcesOf, sectionOf } from './scenario-language.ts'

const HEADINGS = ['allocated', 'used', 'cost', 'fit', 'seen']
const settings = {
  policy: defaultPolicy,
  currency: 'USD',
  staleAfterMs: 10 * 60_000,
  drainTimeoutMs: 2 * 60_000,
  reclaimAfterMs: 24 * 3_600_000,
}

/** Plays a scenario on the real ledger and holds every line to what it says. */
export function playScenario(lines: readonly Line[]): void {
  const journal: { event: LedgerEvent; index: number }[] = []
  const ids = new Map<string, string>()
  let ledger = createLedger(settings)
  let now = Date.UTC(2026, 0, 1)
  let index = 1
  record([{ kind: 'founded', at: now, ledgerId: 'scene' }])
  replay()

  const verbs: Readonly<Record<string, (line: Line) => string | undefined>> = {
    advertise: (line) => {
      const clusterId = word(line, 0)
      const { advertisement, seen } = advertised(line)
      const seenIndex = seen ? { seenIndex: index } : {}
      run({ kind: 'advertise', door: 'rest', clusterId, advertisement, ...seenIndex })
      return ledger.standing(clusterId)?.isOvercommitted ? 'overcommitted' : ''
    },
    reserve: (line) => {
      const { from = '', for: duration, on, id } = line.named
      const outcome = run({
        kind: 'reserve',
        door: 'rest',
        requester: from,
        wanted: line.resources,
        priority: 0,
        ...(on !== undefined && { pinned: on }),
        ...(line.words.includes('one-node') && { oneNode: true }),
        ...(duration !== undefined && { durationMs: durationOf(duration) }),
        ...(id !== undefined && { requestId: id, fingerprint: line.words.slice(1).join(' ') }),
      })
      if (outcome.kind === 'reserved') ids.set(word(line, 0), outcome.reservation.id)
      return said(outcome)
    },
    release: (line) => said(run({ kind: 'release', id: idOf(line) })),
    activate: (line) => said(run({ kind: 'activate', id: idOf(line) })),
    renew: (line) => {
      const durationMs = durationOf(line.named.for ?? '')
      return said(run({ kind: 'renew', id: idOf(line), durationMs }))
    },
    'release-request': ({ named: { from = '', id = '' } }) =>
      said(run({ kind: 'releaseRequest', door: 'rest', requester: from, requestId: id })),
    cordon: (line) => void run({ kind: 'cordon', clusterId: word(line, 0) }),
    uncordon: (line) => void run({ kind: 'uncordon', clusterId: word(line, 0) }),
    withdraw: (line) => {
      const graceMs = durationOf(line.named.grace ?? '0s')
      return void run({ kind: 'withdraw', clusterId: word(line, 0), graceMs })
    },
    decommission: (line) => said(run({ kind: 'decommission', clusterId: word(line, 0) })),
    peer: ({ named: { from: requester = '', on: provider = '' }, words: [id = '', hello = ''] }) =>
      said(run({ kind: 'openPeering', id, requester, provider, networking: 'none', hello })),
    say: ({ named: { by = '' }, words: [id = '', step = '', sealed = ''] }) =>
      said(run({ kind: 'postPeering', id, from: by, step: step as PeeringStep, sealed })),
    stuck: ({ named: { by = '' }, words: [id = '', reason = ''] }) =>
      said(run({ kind: 'reportPeeringTrouble', id, from: by, trouble: { reason, message: '' } })),
    close: ({ named: { by = '' }, words: [id = ''] }) =>
      said(run({ kind: 'closePeering', id, from: by })),
    peering: (line) => standingOf(ledger.peering(word(line, 0))),
    rate: ({ words: [currency = '', rate = ''] }) =>
      void ledger.setRates(new Map([[currency, moneyOf(rate)]])),
    hear: (line) => void run({ kind: 'hear', requester: word(line, 0) }),
    after: (line) => {
      now += durationOf(word(line, 0))
      run({ kind: 'tick' })
      return undefined
    },
    away: (line) => {
      run({ kind: 'noteHeard' })
      now += durationOf(word(line, 0))
      replay()
      ledger.excuseSilence(now)
      run({ kind: 'tick' })
      return undefined
    },
    phase: (line) => phaseOf(ledger.reservation(idOf(line))),
    score: (line) => formatScore(ledger.standing(word(line, 0))?.baseScore ?? Number.NaN),
    evaluate: ({ named: { from = '' }, resources }) =>
      ledger
        .evaluate({ requester: from, wanted: resources })
        .rows.map(({ clusterId, refusal, scored }) =>
          scored ? `${clusterId} ${formatScore(scored.score)}` : `${clusterId} ${refusal}`,
        )
        .join(', '),
    restart: () => {
      const before = ledger.capture()
      replay()
      // Heartbeats are soft; everything else must be exactly what it was.
      const { requesters: _soft, ...after } = ledger.capture()
      expect(after).toEqual({ ...before, requesters: undefined, clusters: after.clusters })
      expect(after.clusters.map(({ cluster }) => cluster)).toEqual(
        before.clusters.map(({ cluster }) => cluster),
      )
      return undefined
    },
  }

  for (const line of lines) {
    const verb = verbs[line.verb]
    if (!verb) throw new Error(`line ${line.number}: there is no verb '${line.verb}'`)
    const got = verb(line)
    const where = `line ${line.number}: ${line.text}`
    if (line.expected !== undefined) expect(got, where).toBe(line.expected)
    if (line.remark !== undefined) expect(remarkOn(line.remark), where).toBe(line.remark)
  }

  function replay(): void {
    ledger = createLedger(settings)
    for (const { event } of journal) ledger.apply(event)
  }

  function run(command: Parameters<typeof ledger.execute>[0]): Outcome {
    index++
    const { outcome, events } = ledger.execute(command, { now, index })
    record(events)
    return outcome
  }

  function record(events: readonly LedgerEvent[]): void {
    for (const event of events) journal.push({ event, index })
  }

  function said(outcome: Outcome): string {
    switch (outcome.kind) {
      case 'reserved':
        return reservedOn(outcome.reservation)
      case 'known':
        return `known as ${nameOf(outcome.reservation)}`
      case 'requestIdReused':
        return 'request id reused'
      case 'refused':
        return refusedAs(outcome.ranking)
      case 'changed':
      case 'unchanged':
        return outcome.reservation.phase
      case 'wrongPhase':
        return 'wrong phase'
      case 'peering':
        return outcome.changed ? outcome.session.state : `${outcome.session.state} already`
      case 'notYourStep':
        return 'not your step'
      case 'noReservation':
        return 'no reservation'
      case 'stillHolding':
        return `still holds ${outcome.count}`
      case 'stillHeard':
        return 'still heard'
      default:
        return outcome.kind
    }
  }

  function nameOf(reservation: Reservation): string | undefined {
    for (const [name, id] of ids) if (id === reservation.id) return name
    return undefined
  }

  function idOf(line: Line): string {
    return ids.get(word(line, 0)) ?? word(line, 0)
  }

  /** `paris has 5950m cpu left`, with the true amount in place of the claimed one. */
  function remarkOn(remark: string): string {
    const [clusterId = '', , , resource = ''] = remark.split(' ')
    const available = clampZero(ledger.standing(clusterId)?.available ?? {})
    return `${clusterId} has ${formatAmount(resource, amountOf(available, resource))} ${resource} left`
  }

  function advertised(line: Line): { advertisement: Advertisement; seen: boolean } {
    const clusterId = word(line, 0)
    const firstHeading = line.words.findIndex((one) => HEADINGS.includes(one))
    const supply = firstHeading < 0 ? line.words : line.words.slice(0, firstHeading)
    const allocatable = resourcesOf(pairsIn(supply))
    const [usedBy, ...usedAmounts] = sectionOf(line, 'used', HEADINGS) ?? []
    const cost = sectionOf(line, 'cost', HEADINGS)
    const fit = sectionOf(line, 'fit', HEADINGS)
    return {
      seen: line.words.includes('seen'),
      advertisement: {
        clusterName: clusterId,
        capacity: allocatable,
        allocatable,
        allocated: resourcesOf(pairsIn(sectionOf(line, 'allocated', HEADINGS) ?? [])),
        used:
          usedBy === undefined
            ? {}
            : { [ids.get(usedBy) ?? usedBy]: resourcesOf(pairsIn(usedAmounts)) },
        ...(fit && { largestFit: resourcesOf(pairsIn(fit)) }),
        ...(cost && { cost: { currency: line.named.currency ?? 'USD', ...pricesOf(cost) } }),
      },
    }
  }
}

function reservedOn({ legs, largestNode }: Reservation): string {
  const where = `reserved on ${legs[0]?.clusterId}`
  return largestNode ? `${where}, ${largestNodeSentence(largestNode)}` : where
}

function refusedAs({ rows }: Ranking): string {
  if (rows.some(({ refusal }) => refusal === 'NoNodeFits')) return 'refused, no node fits'
  return rows.some(({ refusal }) => refusal === 'Insufficient')
    ? 'refused, insufficient'
    : 'refused'
}

function pricesOf(words: readonly string[]): Record<string, bigint> {
  const prices = pairsIn(words).filter(([name]) => name !== 'currency')
  return Object.fromEntries(prices.map(([name, text]) => [name, moneyOf(text)]))
}

function moneyOf(text: string): bigint {
  const parsed = parseMoney(text)
  if (parsed.kind === 'bad') throw new Error(parsed.reason)
  return parsed.money
}

function phaseOf(reservation: Reservation | undefined): string {
  if (!reservation) return 'gone'
  return reservation.reason ? `${reservation.phase}, ${reservation.reason}` : reservation.phase
}

function standingOf(session: PeeringSession | undefined): string {
  if (!session) return 'gone'
  const stuck = Object.entries(session.trouble).map(([role, { reason }]) => `${role} ${reason}`)
  return [session.state, Object.keys(session.messages).join(' '), ...stuck].join(', ')
}

function word(line: Line, place: number): string {
  return line.words[place] ?? ''
}
