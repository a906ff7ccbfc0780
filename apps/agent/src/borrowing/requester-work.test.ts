import { BrokerRefused } from '@bourse/client'
import { describe, expect, it } from 'vitest'
import { aReservation } from '../../fixtures/instructions/instruction.ts'
import { createBrokerClock } from '../broker/broker-clock.ts'
import type { InstructionObject } from '../instructions/instruction-object.ts'
import { termsOf } from '../instructions/terms.ts'
import { createNoPeering } from '../peering/index.ts'
import { createRequesterWork } from './requester-work.ts'

const clock = { now: () => 0, monotonic: () => 0 }
const reservation = aReservation('rsv-1')
const entry = { terms: termsOf(reservation, 'requester'), isGranted: true, reservation }
const object = { metadata: { name: 'rsv-1' } } as InstructionObject

describe('a reservation that pods can use', () => {
  it('is activated at the broker', async () => {
    const { active, perform } = working(async () => aReservation('rsv-1', { phase: 'Active' }))

    await perform()

    expect(active).toEqual(['Active'])
  })

  it('is delivered by a broker that knows no activation, too', async () => {
    const unknown = new BrokerRefused('No such call.', { status: 404, code: 'Unsupported' })
    const { active, perform } = working(() => Promise.reject(unknown))

    const { status } = await perform()

    expect(status).toMatchObject({ delivered: true })
    expect(active).toEqual([])
  })

  it('is tried again when the broker refuses for another reason', async () => {
    const refused = new BrokerRefused('Not yours.', { status: 403, code: 'NotYours' })

    await expect(working(() => Promise.reject(refused)).perform()).rejects.toBe(refused)
  })
})

function working(activate: () => Promise<typeof reservation>) {
  const active: string[] = []
  const { perform } = createRequesterWork({
    broker: { activate },
    peering: {
      ...createNoPeering(),
      borrow: async () => ({ steps: [], isDone: true, isUsable: true }),
    },
    brokerClock: createBrokerClock(clock),
    onActive: ({ status }) => void active.push(status.phase),
    clock,
  })
  return { active, perform: () => perform(entry, object, new AbortController().signal) }
}
