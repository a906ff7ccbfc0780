import { expect, it } from 'vitest'
import { anApi } from '../../../fixtures/http/server/api.ts'
import { aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { createFairShare } from '../../fair-share/index.ts'
import { createProbing } from './probing.ts'
import { createTrialCharge } from './trial-charge.ts'

const STEPS = 6

/** Reserves other amounts again and again, and tells what each step was charged beyond a request. */
async function aTrial({ as = 'rome', visibility = 'summary', heldForMs = 0, cpuFrom = 1 }) {
  const charged: number[] = []
  const share = createFairShare({}, () => performance.now())
  const rate = { ...share.rate, charge: (_: string, ms: number) => void charged.push(ms) }
  const limits = { free: 2, periodMs: 600_000, pauseMs: 1_000 }
  const probing = createProbing(() => 0, limits)
  const { post, remove, advertise, clock } = await anApi({ share: { ...share, rate }, probing })
  await advertise('paris', { visibility })
  for (let step = 0; step < STEPS; step += 1) {
    const { body } = await post(as, '/reservations', {
      requestedResources: { cpu: `${cpuFrom + step}` },
      ...(as === 'operator' && { requesterID: 'rome' }),
    })
    clock.at += heldForMs
    if (body.id) await remove(as, `/reservations/${body.id}`)
  }
  return charged
}

it.each([
  { name: 'reserved and released at once', trial: {}, charged: [1, 2, 4, 8] },
  { name: 'refused', trial: { cpuFrom: 11 }, charged: [1, 2, 4, 8] },
  { name: 'kept for a minute', trial: { heldForMs: 60_000 }, charged: [] },
  { name: 'tried on a cluster that shows its numbers', trial: { visibility: 'full' }, charged: [] },
  { name: 'tried by an operator', trial: { as: 'operator' }, charged: [] },
])('$name: charged $charged', async ({ trial, charged }) => {
  expect(await aTrial(trial)).toEqual(charged)
})

it('what several clusters lent and got back at once was a trial of each', () => {
  const tried: unknown[] = []
  const probing = { tried: ({ target }: { target?: string | undefined }) => tried.push(target) }
  const ports = { rate: { charge() {} }, noteOf: () => ({ isStale: false }), now: () => 1_000 }
  const legs = ['paris', 'oslo'].map((clusterId) => ({ clusterId, resources: { cpu: 1_000n } }))

  createTrialCharge({ ...ports, probing }).released(aReservation('rsv-l-1', { legs }), {
    id: 'rome',
    isOperator: false,
  })

  expect(tried).toEqual(['paris', 'oslo'])
})
