import { describe, expect, it } from 'vitest'
import { settings, supplyOf } from '../../../fixtures/ledger/ledger.ts'
import { createBoard, type Decision, type Placement } from '../../placement/index.ts'
import { createConversion } from '../../supply/conversion.ts'
import { createProviders } from '../../supply/providers.ts'
import { createDeadlines } from '../../time/deadlines.ts'
import type { LedgerEvent } from '../state/event.ts'
import { createState } from '../state/state.ts'
import { createAgreements } from './agreement.ts'
import type { ReserveCommand } from './command.ts'
import { reserve } from './reserve.ts'

const summary = { policy: 'test', best: [], refused: {} }
const wanted = { cpu: 3_000n }
const command: ReserveCommand = {
  kind: 'reserve',
  door: 'rest',
  requester: 'rome',
  requestId: 'job',
  fingerprint: 'body',
  wanted,
  priority: 0,
}

/** A ledger of two clusters whose placement decides as it is told, and says what it was asked. */
function aStory(legs: Decision['legs']) {
  const board = createBoard()
  const conversion = createConversion('USD')
  const providers = createProviders(board, conversion)
  const state = createState({ providers, deadlines: createDeadlines(), limits: settings })
  for (const clusterId of ['paris', 'oslo']) state.clusters.put(aCluster(clusterId), 0)
  const told: string[] = []
  const placement: Placement = {
    decide(_board, request) {
      told.push('place')
      return { legs, summary, wanted: request.wanted }
    },
    rank(_board, request) {
      told.push('explain')
      return { policy: 'test', request, rows: [] }
    },
  }
  const emit = (event: LedgerEvent) => {
    told.push(event.kind)
    state.apply(event)
  }
  const step = { state, now: 1_000, index: 1, term: undefined, emit }
  const agreementOf = createAgreements(conversion)
  const placing = { placement, board, agreementOf, rates: conversion.applied }
  return { told, providers, ask: () => reserve(step, command, placing) }
}

function aCluster(clusterId: string) {
  const advertisement = supplyOf({ cpu: 2_000n }, clusterId)
  return {
    clusterId,
    door: 'rest',
    accepting: 'open',
    isStale: false,
    changedAt: 0,
    advertisement,
  } as const
}

const onTwo = [
  { clusterId: 'paris', resources: { cpu: 2_000n } },
  { clusterId: 'oslo', resources: { cpu: 1_000n } },
]

describe('a request', () => {
  it('that is placed is emitted, and is held by every provider that lends a part of it', () => {
    const { told, providers, ask } = aStory(onTwo)

    expect(ask()).toMatchObject({ kind: 'reserved', reservation: { wanted, legs: onTwo } })
    expect(told).toEqual(['place', 'reserved'])
    expect(providers.standing('paris')?.available).toEqual({ cpu: 0n })
    expect(providers.standing('oslo')?.available).toEqual({ cpu: 1_000n })
  })

  it('that is known is not placed again', () => {
    const { told, ask } = aStory(onTwo)
    ask()

    expect(ask().kind).toBe('known')
    expect(told).toEqual(['place', 'reserved'])
  })

  it('that finds no place is explained, and changes nothing', () => {
    const { told, ask } = aStory([])

    expect(ask().kind).toBe('refused')
    expect(told).toEqual(['place', 'explain'])
  })
})
