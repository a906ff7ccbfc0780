import { expect, it } from 'vitest'
import { createNoPeering } from './create-peering.ts'

it('is done at once without peering, and leaves it to others to say that it is used', async () => {
  const peering = createNoPeering()
  const { signal } = new AbortController()
  const reservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }

  const progress = await peering.borrow(reservation, signal)

  expect(progress).toEqual({ steps: [], isDone: true, isUsable: false })
  expect(peering.leavesTraces).toBe(false)
})

it('says that it offloads nothing when a request asks for it', async () => {
  const { signal } = new AbortController()
  const reservation = { id: 'rsv-1', provider: 'paris', resources: { cpu: '2' } }

  const { steps, isDone } = await createNoPeering().borrow(
    { ...reservation, offload: { namespaces: ['shop'], strategy: 'Remote' } },
    signal,
  )

  expect(steps).toMatchObject([
    { type: 'NamespaceOffloaded', status: 'False', reason: 'NoPeering' },
  ])
  expect(isDone).toBe(true)
})
