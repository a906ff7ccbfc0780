import { BrokerRefused, BrokerUnreachable } from '@bourse/client'
import { describe, expect, it } from 'vitest'
import {
  aReconciler,
  aRequest,
  FINALIZER,
  held,
} from '../../fixtures/borrowing/resource-request.ts'
import { aReservation } from '../../fixtures/instructions/instruction.ts'

describe('a request that is deleted', () => {
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [FINALIZER] }

  it('is withdrawn first, then released, then forgotten, then let go', async () => {
    const release = { kind: 'released', reservation: aReservation('rsv-1') }
    const { reconcile, deeds } = aReconciler({
      live: [aReservation('rsv-1')],
      answers: { release },
    })

    await reconcile(aRequest({ status: held, ...deleted }))

    expect(deeds).toEqual([
      'withdraw rsv-1',
      'release {"id":"rsv-1"}',
      'forget rsv-1',
      'discard rsv-1',
      'unprotect',
    ])
  })

  it('stays when another ledger than its own says that nothing is held', async () => {
    const { reconcile, deeds } = aReconciler({
      live: [aReservation('rsv-1')],
      answers: { release: { kind: 'tombstoned', ledgerId: 'L2' } },
    })

    await reconcile(aRequest({ status: held, ...deleted }))

    expect(deeds).toEqual(['withdraw rsv-1', 'release {"id":"rsv-1"}', 'warn OtherLedger'])
  })

  it('is released by its request id when no answer was ever seen', async () => {
    const { reconcile, deeds } = aReconciler({ answers: { release: { kind: 'tombstoned' } } })

    await reconcile(aRequest(deleted))

    expect(deeds).toEqual(['release {"requestId":"uid-1"}', 'unprotect'])
  })

  it('stays while the broker is away, and says so once', async () => {
    const answers = { release: new BrokerUnreachable('No answer.') }
    const { reconcile, deeds } = aReconciler({ answers })

    const first = await reconcile(aRequest(deleted))
    const second = await reconcile(aRequest(deleted))

    expect(first.status?.message).toBe('It will be released as soon as possible: No answer.')
    expect([first.againAfterMs, second.againAfterMs]).toEqual([375, 750])
    expect(deeds.filter((deed) => deed !== 'release {"requestId":"uid-1"}')).toEqual([
      'warn BrokerUnreachable',
    ])
  })

  it('waits for the ledger that granted it, rather than leave it held there', async () => {
    const { reconcile, deeds } = aReconciler({ live: [aReservation('rsv-1')], isElsewhere: true })

    const next = await reconcile(aRequest({ status: held, ...deleted }))

    expect(deeds).toEqual(['withdraw rsv-1', 'warn OtherLedger'])
    expect(next.againAfterMs).toBe(375)
  })

  it('goes although the broker cannot release, as the Go original cannot', async () => {
    const release = new BrokerRefused('Unknown call.', { status: 404, code: 'Unsupported' })
    const { reconcile, deeds } = aReconciler({ answers: { release } })

    await reconcile(aRequest({ status: held, ...deleted }))

    expect(deeds).toEqual([
      'withdraw rsv-1',
      'release {"id":"rsv-1"}',
      'warn Unsupported',
      'discard rsv-1',
      'unprotect',
    ])
  })

  it('is released although a hand has called it over', async () => {
    const release = { kind: 'released', reservation: aReservation('rsv-1') }
    const { reconcile, deeds } = aReconciler({
      live: [aReservation('rsv-1')],
      answers: { release },
    })

    await reconcile(aRequest({ status: { ...held, phase: 'Released' }, ...deleted }))

    expect(deeds).toContain('release {"id":"rsv-1"}')
  })

  it('is let go at once when it never held anything', async () => {
    const { reconcile, deeds } = aReconciler()

    await reconcile(aRequest({ status: { phase: 'Failed' }, ...deleted }))

    expect(deeds).toEqual(['unprotect'])
  })
})
