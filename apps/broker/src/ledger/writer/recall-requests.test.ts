import type { Command } from '@bourse/domain/ledger'
import { expect, it } from 'vitest'
import { aLedgerWriter } from '../../../fixtures/ledger/writer/writer.ts'
import { DamagedJournal } from '../../store/port/journal.ts'
import type { Recall } from './recall-requests.ts'
import { WriterUnavailable } from './writer-unavailable.ts'

const damage = new DamagedJournal('A row of requests contradicts its sum')

it.each([
  {
    name: 'is turned away for now when its request id cannot be looked up',
    cause: new Error('no connection.'),
    refusal: new WriterUnavailable(
      'This request id cannot be looked up now: no connection. Send the request again.',
    ),
  },
  { name: 'hears of damage where its request id should be', cause: damage, refusal: damage },
])('a caller $name, and no other caller', async ({ cause, refusal }) => {
  const { writer, crashes } = aWriter(() => Promise.reject(cause))

  const answers = await Promise.allSettled([
    writer.submit(advertise('paris')),
    writer.submit(reserve('r1')),
    writer.submit(advertise('oslo')),
  ])

  const committed = { value: { outcome: { kind: 'advertised' }, index: 1 } }
  expect(answers).toMatchObject([committed, { reason: refusal }, committed])
  expect(crashes).toEqual([])
})

it('a request that was released before it came is known as such from the history', async () => {
  const { writer } = aWriter(async () => ({ kind: 'tombstone' }))

  const { outcome } = await writer.submit(reserve('r1'))

  expect(outcome.kind).toBe('tombstoned')
})

/** One that asks its history for every request id. */
function aWriter(lookUp: () => ReturnType<Recall>) {
  const crashes: Error[] = []
  const writer = aLedgerWriter({
    recall: ({ kind }) => (kind === 'reserve' ? lookUp() : undefined),
    crash: (cause) => crashes.push(cause),
  })
  return { writer, crashes }
}

function advertise(clusterId: string): Command {
  const supply = { capacity: { cpu: 8_000n }, allocatable: { cpu: 8_000n }, allocated: {} }
  const advertisement = { clusterName: clusterId, ...supply, used: {} }
  return { kind: 'advertise', door: 'rest', clusterId, advertisement }
}

function reserve(requestId: string): Command {
  return {
    kind: 'reserve',
    door: 'rest',
    requester: 'rome',
    priority: 0,
    wanted: { cpu: 1_000n },
    requestId,
    fingerprint: 'one core',
  }
}
