import {
  rules as allRules,
  coarseBoard,
  createBoard,
  createPlacement,
  type IsHidden,
  measuresRead,
  type PlacementRequest,
  type Policy,
  type Rules,
} from '../placement/index.ts'
import type { Rates } from '../quantity/rates.ts'
import { isLive } from '../reservation/phases.ts'
import type { Reservation } from '../reservation/reservation.ts'
import { createConversion } from '../supply/conversion.ts'
import { createProviders } from '../supply/providers.ts'
import { createDeadlines } from '../time/deadlines.ts'
import { decommission, setAccepting } from './commands/accepting.ts'
import { activate } from './commands/activate.ts'
import { advertise } from './commands/advertise.ts'
import { createAgreements } from './commands/agreement.ts'
import type { Command } from './commands/command.ts'
import { runDue } from './commands/due.ts'
import type { Outcome } from './commands/outcome.ts'
import { closePeering, openPeering, postPeering, reportTrouble } from './commands/peer.ts'
import { releaseById, releaseByRequest } from './commands/release.ts'
import { renew } from './commands/renew.ts'
import { reserve } from './commands/reserve.ts'
import { actingAs, type Step } from './commands/step.ts'
import type { Ledger, Moment } from './ledger.ts'
import { captureState, createLoader } from './state/capture.ts'
import type { LedgerEvent } from './state/event.ts'
import { createState, type Limits } from './state/state.ts'

export type LedgerSettings = Limits & Readonly<{ policy: Policy; currency: string }>

/**
 * The exchange itself, without disk, clock or network: commands in, events out.
 *
 *   command, now ──► what is due runs first ──► decide ──► events ──► applied here at once
 */
export function createLedger(settings: LedgerSettings, rules: Rules = allRules): Ledger {
  const { policy, currency, ...limits } = settings
  const board = createBoard(measuresRead(rules, policy))
  const placement = createPlacement(policy, rules)
  let conversion = createConversion(currency)
  let agreementOf = createAgreements(conversion)
  const deadlines = createDeadlines()
  const providers = createProviders(board, conversion)
  const state = createState({ providers, deadlines, limits })
  let notedAt = 0

  return {
    execute,
    apply: state.apply,
    nextDeadline: deadlines.next,
    setRates,
    forget: state.forget,
    excuseSilence: state.silence.excuse,
    capture: () => captureState(state),
    load: createLoader(state),

    get ledgerId() {
      return state.identity.ledgerId
    },
    get lastAt() {
      return state.identity.lastAt
    },
    get liveCount() {
      return state.liveCount()
    },
    cluster: (clusterId) => providers.get(clusterId)?.cluster,
    *clusters() {
      for (const { cluster } of providers.all()) yield cluster
    },
    standing: providers.standing,
    reservation: (id) => state.reservations.get(id),
    *reservations() {
      for (const one of state.reservations.values()) if (isLive(one.phase)) yield one
    },
    ended: () => known(state.ended),
    requestedBy: (requester) => known(state.requestedBy(requester)),
    heldOn: (clusterId) => known(providers.get(clusterId)?.holding ?? []),
    drainingOn: (clusterId) => known(providers.get(clusterId)?.draining ?? []),
    peering: state.peerings.get,
    peerings: state.peerings.all,
    peeringsOf: state.peerings.of,
    evaluate,
  }

  function execute(command: Command, { now, index, term }: Moment) {
    const events: LedgerEvent[] = []
    const emit = (event: LedgerEvent) => {
      state.apply(event)
      events.push(event)
    }
    const step: Step = { state, now, index, term, emit }
    runDue({ step, deadlines, limits })
    const { by } = command
    return { outcome: decide(by ? actingAs(by, step) : step, command), events }
  }

  function decide(step: Step, command: Command): Outcome {
    switch (command.kind) {
      case 'advertise':
        return advertise(step, command)
      case 'reserve':
        return reserve(step, command, { placement, board, agreementOf, rates: conversion.applied })
      case 'activate':
        return activate(step, command)
      case 'renew':
        return renew(step, command)
      case 'release':
        return releaseById(step, command)
      case 'releaseRequest':
        return releaseByRequest(step, command)
      case 'cordon':
      case 'uncordon':
      case 'withdraw':
        return setAccepting(step, command)
      case 'decommission':
        return decommission(step, command)
      case 'openPeering':
        return openPeering(step, command)
      case 'postPeering':
        return postPeering(step, command)
      case 'reportPeeringTrouble':
        return reportTrouble(step, command)
      case 'closePeering':
        return closePeering(step, command)
      case 'hear':
        state.silence.hear(command.requester, step.now)
        return { kind: 'done' }
      case 'noteHeard':
        return noteHeard(step)
      case 'tick':
        return { kind: 'done' }
    }
  }

  function setRates(rates: Rates): void {
    conversion = createConversion(currency, rates)
    // What equal requests were agreed on at the rates before.
    agreementOf = createAgreements(conversion)
    providers.convertBy(conversion)
  }

  /**
   * Journals the heartbeats since the last note, and those of its millisecond, so that a restart
   * makes no live cluster stale.
   */
  function noteHeard({ now: at, emit }: Step): Outcome {
    const advertised: Record<string, number> = {}
    for (const { cluster, advertisedAt } of providers.all())
      if (advertisedAt >= notedAt) advertised[cluster.clusterId] = advertisedAt
    const requesters: Record<string, number> = {}
    for (const [requester, heardAt] of state.silence.heardAt)
      if (heardAt >= notedAt) requesters[requester] = heardAt
    notedAt = at
    const isNews = Object.keys(advertised).length + Object.keys(requesters).length > 0
    if (isNews) emit({ kind: 'heard', at, advertised, requesters })
    return { kind: 'done' }
  }

  function evaluate(request: PlacementRequest, isHidden?: IsHidden) {
    providers.refreshBoard()
    return placement.rank(isHidden ? coarseBoard(board, isHidden) : board, request)
  }

  function* known(numbers: Iterable<number>): Generator<Reservation> {
    for (const number of numbers) {
      const reservation = state.reservations.at(number)
      if (reservation) yield reservation
    }
  }
}
