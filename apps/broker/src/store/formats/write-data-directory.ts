import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Advertisement, PeeringStep, Reservation } from '@bourse/domain/ledger'
import { contentsOf } from '../../../fixtures/store/formats/contents.ts'
import { staled } from '../../../fixtures/store/samples/journal-samples.ts'
import { aLedger } from '../../../fixtures/store/samples/ledger-samples.ts'
import { REASONS } from '../codec/reservation-packing.ts'
import type { SqliteStore } from '../sqlite/sqlite-store.ts'
import { withStore } from '../sqlite/with-store.ts'

/**
 * Writes a small data directory with something of everything, and what is in it:
 *
 *   node apps/broker/src/store/formats/write-data-directory.ts apps/broker/src/store/formats/NAME
 *
 * Each release that writes a new format adds one. Those that are there already stay as they are.
 */
async function writeDataDirectory(target: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-format-'))
  await withStore(join(scratch, 'written'), fill)
  cpSync(join(scratch, 'written'), join(scratch, 'opened'), { recursive: true })
  for (const file of ['bourse.db', 'bourse.witness'])
    cpSync(join(scratch, 'written', file), join(target, file))
  writeFileSync(join(target, 'contents.jsonl'), await contentsOf(join(scratch, 'opened')))
  rmSync(scratch, { recursive: true })
}

/** Written in quotes. */
const BEYOND_DOUBLES = 2n ** 55n + 1n

type Sample = ReturnType<typeof aLedger>

const everythingSaid: Partial<Advertisement> = {
  used: { 'rsv-1': { cpu: 5n } },
  cost: { currency: 'EUR', cpu: 40_000n, gpu: 2n ** 60n },
  endpointUrl: 'https://paris.example:6443',
  location: 'FR',
  labels: { tier: 'gold' },
  visibility: 'full',
  largestFit: { cpu: 8_000n },
  gpuModels: { A100: 2 },
  liqo: { version: 'v1.0.0' },
  stamp: '7',
  aliases: ['gpu'],
}

async function fill(store: SqliteStore): Promise<void> {
  const ledger = aLedger(store.journal)
  await ledger.found()
  await ledger.advertise('paris', 100_000n, everythingSaid)
  await ledger.advertise('oslo', 2n ** 60n)
  // Once for the snapshot and once for the batches after it.
  await borrow(ledger, 'rome')
  await ledger.snapshot()
  await borrow(ledger, 'milan')
  await ledger.advertise('bern', 1_000n)
  await ledger.execute({ kind: 'cordon', clusterId: 'oslo' })
  await ledger.happen(staled('oslo'))
  await ledger.execute({ kind: 'withdraw', clusterId: 'bern', graceMs: 60_000 })
  await remember(store, ledger)
}

/** A reservation in each phase, a request that is refused for ever, and a peering in each state. */
async function borrow({ execute, happen }: Sample, requester: string): Promise<void> {
  const full = { requestId: 'r1', fingerprint: 'f1', aliases: ['cpu'], durationMs: 3_600_000 }
  const kept = await reserve('paris', full)
  const active = await reserve('paris')
  const drains = await reserve('oslo')
  const released = await reserve('oslo', { requestId: 'r2' })
  for (const { id } of [active, drains]) await execute({ kind: 'activate', id })
  for (const { id } of [drains, released]) await execute({ kind: 'release', id })
  await execute({ kind: 'renew', id: kept.id, durationMs: 7_200_000 })
  await execute({ kind: 'releaseRequest', door: 'rest', requester, requestId: 'r3' })
  // Nothing waits and nothing fails yet, but both can be written down.
  for (const [nth, phase] of (['Pending', 'Failed'] as const).entries())
    await happen({
      kind: 'reserved',
      at: 1_000,
      reservation: { ...kept, id: `${released.id}${nth}`, phase, legs: [], requestId: `w${nth}` },
      decision: { policy: 'best', best: [], refused: { Insufficient: 2 } },
    })
  await peer('open', ['nonce'])
  await peer('established', ['nonce', 'tenant', 'grant', 'gateway', 'tunnel', 'ready'])
  await peer('closing', ['nonce', 'ready', 'goodbye'])
  await execute({ kind: 'hear', requester })
  await execute({ kind: 'noteHeard' })

  async function reserve(pinned: string, more: object = {}): Promise<Reservation> {
    const wanted = { cpu: pinned === 'oslo' ? BEYOND_DOUBLES : 1_500n }
    const asked = { door: 'rest', requester, wanted, pinned, priority: 3, ...more }
    const outcome = await execute({ kind: 'reserve', ...asked })
    if (outcome.kind !== 'reserved') throw new Error(`It was ${outcome.kind}`)
    return outcome.reservation
  }

  async function peer(name: string, steps: readonly PeeringStep[]): Promise<void> {
    const pair = { at: 1_000, id: `ps-${requester}-${name}`, requester, provider: name }
    await happen({ kind: 'peeringOpened', ...pair, networking: 'wireguard', hello: 'h' })
    for (const step of steps) await happen({ kind: 'peeringPosted', ...pair, step, sealed: step })
    const trouble = { reason: 'Slow', message: `In ${name}` }
    await happen({ kind: 'peeringTroubled', ...pair, role: 'provider', trouble })
  }
}

/** What has ended for each reason, with the grounds of one decision, and an id that is refused. */
async function remember({ history }: SqliteStore, { ledger, head }: Sample): Promise<void> {
  const [first] = ledger.reservations()
  if (!first) throw new Error('Nothing is reserved')
  const over = { ...first, endedAt: 900, requestId: 'r4', activatedAt: 800 }
  const ended = REASONS.map((reason, nth) => {
    const id = `rsv-ledge-00${nth}`
    return { ...over, id, requestId: `e${nth}`, phase: 'Released', reason } as const
  })
  const { requester, wanted } = first
  await history.record({
    through: head().index,
    decisions: [
      {
        reservationId: 'rsv-ledge-000',
        index: 1,
        at: 800,
        request: { requester, wanted },
        decision: { policy: 'best', best: [], refused: { Stale: 1 } },
      },
    ],
    ended: [...ended, { ...over, id: 'rsv-ledge-00f', phase: 'Failed', legs: [] }],
    tombstones: [{ door: 'rest', requester: 'rome', requestId: 'r9', at: 1_000 }],
  })
}

const [, , target] = process.argv
if (target === undefined) throw new Error('Say where to write it: a new folder beside this file')
await writeDataDirectory(target)
