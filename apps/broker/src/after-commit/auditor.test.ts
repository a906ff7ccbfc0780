import type { Advertisement, Ledger, LedgerEvent } from '@bourse/domain/ledger'
import { createLedger } from '@bourse/domain/ledger'
import { describe, expect, it } from 'vitest'
import { aLedgerWriter, settings } from '../../fixtures/ledger/writer/writer.ts'
import { createAuditor } from './auditor.ts'

const supply: Advertisement = {
  clusterName: 'paris',
  capacity: { cpu: 10_000n },
  allocatable: { cpu: 10_000n },
  allocated: {},
  used: {},
}

const pair = { id: 'ps-1', requester: 'rome', provider: 'paris' }
const opened = { kind: 'openPeering', ...pair, networking: 'none', hello: 'x' } as const
const ready = { kind: 'postPeering', id: 'ps-1', from: 'rome', step: 'ready', sealed: 'x' } as const

async function anAuditedLedger() {
  const ledger: Ledger = createLedger(settings)
  const writer = aLedgerWriter({ ledger })
  const auditor = createAuditor({ writer, now: () => 1_000, found() {} })
  await auditor.start()
  await writer.submit({
    kind: 'advertise',
    door: 'rest',
    clusterId: 'paris',
    advertisement: supply,
  })
  const { outcome } = await writer.submit({
    kind: 'reserve',
    door: 'rest',
    requester: 'rome',
    wanted: { cpu: 4_000n },
    priority: 0,
  })
  if (outcome.kind !== 'reserved') throw new Error('the reservation is the point of this')
  return { ledger, writer, auditor, reservation: outcome.reservation }
}

describe('the auditor', () => {
  it('finds events, recount and running sums in agreement after every kind of command', async () => {
    const { writer, auditor, reservation } = await anAuditedLedger()
    await writer.submit({ kind: 'activate', id: reservation.id })
    const advertisement = {
      ...supply,
      allocated: { cpu: 3_000n },
      used: { [reservation.id]: { cpu: 3_000n } },
    }
    await writer.submit({ kind: 'advertise', door: 'rest', clusterId: 'paris', advertisement })
    await writer.submit(opened)
    await writer.submit(ready)
    expect((await auditor.run()).findings).toEqual([])
    await writer.submit({ kind: 'release', id: reservation.id })

    const report = await auditor.run()

    expect(report).toMatchObject({
      state: 'consistent',
      clusters: 1,
      reservations: 1, // released while in use: still held until the provider confirms
      findings: [],
    })
  })

  it('names the cluster and both figures when the ledger holds what no event told of', async () => {
    const { ledger, auditor, reservation } = await anAuditedLedger()
    const unheardOf: LedgerEvent = {
      kind: 'reserved',
      at: 1_000,
      reservation: {
        ...reservation,
        id: 'rsv-x-99',
        legs: [{ clusterId: 'paris', resources: { cpu: 391_200n } }],
      },
      decision: { policy: '', best: [], refused: {} },
    }
    ledger.apply(unheardOf)

    const report = await auditor.run()

    expect(report.state).toBe('inconsistent')
    expect(report.findings).toEqual([
      'paris: the events add up to 4 cpu, and a recount finds 395.2.',
    ])
  })

  it('counts nothing of a reservation that waits, nor of its end', async () => {
    const { ledger, writer, auditor, reservation } = await anAuditedLedger()
    const waiting = { ...reservation, id: 'rsv-x-99', phase: 'Pending' } as const
    ledger.load({ kind: 'reservations', reservations: [waiting] })

    expect(await auditor.run()).toMatchObject({ state: 'consistent', reservations: 1 })
    await writer.submit({ kind: 'release', id: waiting.id })
    expect(await auditor.run()).toMatchObject({ findings: [], reservations: 1 })
  })
})
