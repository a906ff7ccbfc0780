import { describe, expect, it } from 'vitest'
import { advertise, settings, supplyOf } from '../../fixtures/ledger/ledger.ts'
import { type Actor, type Command, createLedger, spokenActor } from './index.ts'

const ana: Actor = { kind: 'operator', id: 'ana', door: 'rest', why: 'maintenance of rack 7' }
const ask = { kind: 'reserve', door: 'rest', requester: 'rome', priority: 0 } as const

/** paris has 8 cores, of which rome has reserved 2 for a minute. */
function aLedger() {
  const ledger = createLedger(settings)
  const at = (now: number, command: Command) => ledger.execute(command, { now, index: 1 })
  at(0, advertise('paris', supplyOf({ cpu: 8_000n })))
  const { outcome } = at(0, { ...ask, wanted: { cpu: 2_000n }, durationMs: 60_000 })
  if (outcome.kind !== 'reserved') throw new Error(`It was ${outcome.kind}`)
  return { ledger, at, id: outcome.reservation.id }
}

describe('an event', () => {
  it.each([
    ['release', { by: 'operator:ana@rest', why: ana.why }],
    ['activate', { by: 'operator:ana@rest', why: ana.why }],
  ] as const)('names the operator who gave the command: %s', (kind, signature) => {
    const { at, id } = aLedger()

    expect(at(1, { kind, id, by: ana }).events).toMatchObject([signature])
  })

  it.each([
    { kind: 'cordon', clusterId: 'paris' },
    { kind: 'withdraw', clusterId: 'paris', graceMs: 1_000 },
    { kind: 'releaseRequest', door: 'rest', requester: 'rome', requestId: 'r1' },
    { ...ask, wanted: { cpu: 1_000n } },
  ] as const)('names the operator who gave the command: $kind', (command) => {
    const { at } = aLedger()

    expect(at(1, { ...command, by: ana }).events).toMatchObject([{ by: 'operator:ana@rest' }])
  })

  it('names no actor where a cluster acts for itself, and keeps its reason', () => {
    const { at, id } = aLedger()
    const rome: Actor = { kind: 'cluster', id: 'rome', door: 'rest', why: 'done early' }

    const [event] = at(1, { kind: 'release', id, by: rome }).events

    expect(event).not.toHaveProperty('by')
    expect(event).toMatchObject({ why: 'done early', reservation: { endedWhy: 'done early' } })
  })

  it('names the broker where time ran out, whichever command comes at that moment', () => {
    const { at } = aLedger()

    const { events } = at(60_000, { kind: 'cordon', clusterId: 'paris', by: ana })

    const signatures = events.map(({ kind, by }) => [kind, by])
    expect(signatures).toEqual([
      ['released', 'system:expiry'],
      ['acceptingChanged', 'operator:ana@rest'],
    ])
    expect(events[0]).not.toHaveProperty('reservation.endedBy')
  })

  it('names the broker where a cluster fell silent', () => {
    const { at } = aLedger()

    const { events } = at(600_000, { kind: 'tick' })

    expect(events).toContainEqual(expect.objectContaining({ kind: 'staled', by: 'system:silence' }))
  })
})

it('what was ended remembers by whom, unless by its requester', () => {
  const { ledger, at, id } = aLedger()

  at(1, { kind: 'release', id, by: ana })

  expect(ledger.reservation(id)).toMatchObject({ endedBy: 'operator:ana@rest', endedWhy: ana.why })
})

it.each([
  ['operator:ana@rest', 'operator ana'],
  ['operator:ana@example.com@grpc', 'operator ana@example.com'],
  ['object:team-a/job@kubernetes', 'object team-a/job'],
  ['system:expiry', 'system expiry'],
])('%s is spoken as %s', (text, spoken) => {
  expect(spokenActor(text)).toBe(spoken)
})
