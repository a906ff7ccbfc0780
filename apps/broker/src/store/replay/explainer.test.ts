import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reservation } from '@bourse/domain/ledger'
import { type Policy, parseWeights } from '@bourse/domain/placement'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aLedger, settings } from '../../../fixtures/store/samples/ledger-samples.ts'
import type { DecisionRecord } from '../port/history.ts'
import { openSqliteStore, type SqliteStore } from '../sqlite/sqlite-store.ts'
import { createExplainer } from './explainer.ts'

describe('an explanation', () => {
  let root = ''
  let store: SqliteStore
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'bourse-replay-'))
    store = await openSqliteStore({ dataDir: join(root, 'data'), crash })
  })
  afterEach(async () => {
    await store.close()
    rmSync(root, { recursive: true })
  })

  it('shows a decision as it was when it was made, also after later changes', async () => {
    const { found, advertise, reserve, snapshot } = aLedger(store.journal)
    await found()
    await advertise('paris', 10_000n)
    await advertise('oslo', 5_000n)
    await snapshot()
    await reserve(1_000n)
    const made = await reserve(4_000n)
    await reserve(3_000n)
    const { explainAt } = createExplainer({ dataDir: join(root, 'data'), settings })

    const ranking = await explainAt(recordOf(made))

    const seen = ranking?.rows.map(({ clusterId, verdict, available }) => [
      clusterId,
      verdict,
      available.cpu,
    ])
    expect(seen).toEqual([
      ['paris', 'chosen', 9_000n],
      ['oslo', 'candidate', 5_000n],
    ])
  })

  it('goes by the weights of that time, not by those of today', async () => {
    const { found, advertise, reserve } = aLedger(store.journal)
    await found()
    await advertise('paris', 10_000n, priced(900_000_000n))
    await advertise('oslo', 8_000n, priced(100_000_000n))
    const made = await reserve(4_000n)
    const today = { ...settings, policy: weighing('resources=100') }
    const { explainAt } = createExplainer({ dataDir: join(root, 'data'), settings: today })

    const ranking = await explainAt(recordOf(made, { policy: settings.policy.version }))

    expect(ranking?.policy).toBe('resources=70,cost=30')
    expect(ranking?.rows[0]).toMatchObject({ clusterId: 'oslo', verdict: 'chosen' })
  })

  it.each([
    { name: 'goes by the currency of that time', cost: priced(1n), shown: ['oslo', 'paris'] },
    { name: 'is not given where that is not known', cost: {}, shown: undefined },
  ])('$name', async ({ cost, shown }) => {
    const { found, advertise, reserve } = aLedger(store.journal)
    await found()
    await advertise('paris', 10_000n, priced(900_000_000n))
    await advertise('oslo', 8_000n, cost)
    const made = await reserve(4_000n)
    const today = { ...settings, currency: 'EUR' }
    const { explainAt } = createExplainer({ dataDir: join(root, 'data'), settings: today })

    const ranking = await explainAt(
      recordOf(made, { best: [{ clusterId: 'oslo', score: 90, parts: {} }] }),
    )

    expect(ranking?.rows.map(({ clusterId }) => clusterId)).toEqual(shown)
  })

  it('goes by the rates of that time, not by those of today', async () => {
    const { found, advertise, reserve, ledger } = aLedger(store.journal)
    await found()
    await advertise('paris', 10_000n, priced(900_000_000n))
    await advertise('bath', 10_000n, { cost: { cpu: 100_000_000n, currency: 'GBP' } })
    ledger.setRates(new Map([['GBP', 1_250_000_000n]]))
    const made = await reserve(4_000n)
    const { explainAt } = createExplainer({ dataDir: join(root, 'data'), settings })

    const ranking = await explainAt(recordOf(made, { rates: 'GBP=1.25' }))

    expect(made.price).toEqual({ perHour: 500_000_000n, currency: 'USD' }) // 4 × 0.1 × 1.25
    expect(ranking?.rows[0]).toMatchObject({ clusterId: 'bath', pricePerHour: 500_000_000n })
  })

  it('is no longer there for what the journal has forgotten', async () => {
    const { found, advertise, reserve, snapshot } = aLedger(store.journal)
    await found()
    await advertise('paris', 10_000n)
    const made = await reserve(4_000n)
    await snapshot(1_000_000)
    const { explainAt } = createExplainer({ dataDir: join(root, 'data'), settings })

    const ranking = await explainAt(recordOf(made))

    expect(ranking).toBeUndefined()
  })
})

const priced = (cpu: bigint) => ({ cost: { cpu, currency: 'USD' } })

function weighing(weights: string): Policy {
  const parsed = parseWeights(weights)
  if (parsed.kind === 'bad') throw new Error(parsed.reason)
  return parsed.policy
}

function crash(cause: Error): never {
  throw cause
}

function recordOf(
  { id, decidedIndex, wanted }: Reservation,
  known: Partial<DecisionRecord['decision']> = {},
): DecisionRecord {
  return {
    reservationId: id,
    index: decidedIndex,
    at: 1_000,
    request: { requester: 'rome', wanted },
    decision: { policy: '', best: [], refused: {}, ...known },
  }
}
