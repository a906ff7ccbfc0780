import type { Reservation } from '@bourse/contract'
import { expect, it } from 'vitest'
import { aReservation } from '../../fixtures/samples.ts'
import type { Broker } from '../connection/with-broker.ts'
import { follow } from './follow-reservation.ts'

const ended = aReservation({
  status: { phase: 'Released', message: '', endedAt: '2026-11-15T01:00:00Z' },
})
const held = aReservation({
  status: { phase: 'Reserved', message: 'Reserved on paris', expiresAt: '2026-11-15T02:00:00Z' },
})
const doubtful = aReservation({
  status: { ...held.status, inDoubt: true, message: 'Reserved on paris, in doubt' },
})

async function followed(known: Reservation, ...answers: readonly Reservation[]) {
  const asked: string[] = []
  const lines: string[] = []
  const broker: Pick<Broker, 'watchReservation'> = {
    async *watchReservation(id) {
      asked.push(id)
      for (const reservation of answers) yield { reservation, index: 7 }
    },
  }
  const terminal = {
    note() {},
    env: {},
    isColourful: false,
    now: () => Date.parse('2026-11-15T01:00:00Z'),
    out: (text: string) => void lines.push(text),
    signal: new AbortController().signal,
  }
  await follow(broker, known, { terminal, output: 'table' })
  return { asked, lines }
}

it('does not wait for a change of what has ended', async () => {
  const { asked } = await followed(ended, ended)

  expect(asked).toEqual([])
})

it('prints what its provider changes, and nothing that is the same again', async () => {
  const { lines } = await followed(held, held, doubtful, doubtful, held)

  expect(lines).toEqual([
    'Reserved rsv-1: 2 cpu on paris for rome, expires in 1h. Reserved on paris, in doubt.',
    'Reserved rsv-1: 2 cpu on paris for rome, expires in 1h. Reserved on paris.',
  ])
})
