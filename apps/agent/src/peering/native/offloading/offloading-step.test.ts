import { describe, expect, it } from 'vitest'
import { type NamespaceOffloading, namespaceOffloading } from '../liqo/namespace-offloading.ts'
import { offloadingStep } from './offloading-step.ts'

const need = { cluster: 'paris-liqo', strategy: 'LocalAndRemote' } as const
const pin = ['bourse.dev/reservation', 'rsv-1'] as const
const asked = { provider: 'paris', need, pin }
const required = { type: 'OffloadingRequired', status: 'True' }
const ready = { type: 'Ready', status: 'True' }

const written = namespaceOffloading('shop', {
  needs: { 'rsv-1': need },
  clusters: ['paris-liqo'],
  strategy: 'LocalAndRemote',
})
type Said = { type: string; status: string; reason?: string; message?: string }
const status = (...conditions: Said[]) => ({
  offloadingPhase: 'Ready',
  remoteNamespacesConditions: { 'paris-liqo': conditions },
})
const offloaded: NamespaceOffloading = { ...written, status: status(required, ready) }
const byHand = { ...offloaded, metadata: { name: 'offloading', namespace: 'shop' } }

describe('a namespace', () => {
  it.each<{ name: string; object: NamespaceOffloading | undefined; reason: string; says: string }>([
    {
      name: 'that Liqo has made at the provider',
      object: offloaded,
      reason: 'Offloaded',
      says: 'Pods of shop can run on paris; nodeSelector {bourse.dev/reservation: rsv-1} keeps',
    },
    {
      name: 'that is not offloaded yet',
      object: undefined,
      reason: 'WaitingForLiqo',
      says: 'shop is not offloaded yet',
    },
    {
      name: 'that Liqo has not looked at since it was changed',
      object: { ...offloaded, metadata: { ...offloaded.metadata, generation: 2 } },
      reason: 'WaitingForLiqo',
      says: 'Liqo has not created namespace shop at paris yet (Ready)',
    },
    {
      name: 'that cannot be made at the provider',
      object: {
        ...written,
        status: status(required, {
          type: 'Ready',
          status: 'False',
          reason: 'CreationLoopBackOff',
          message: 'Some problems occurred during remote namespace creation',
        }),
      },
      reason: 'CreationLoopBackOff',
      says: 'Namespace shop at paris: Some problems occurred',
    },
    {
      name: 'that another reservation has offloaded in another way',
      object: { ...offloaded, spec: { ...offloaded.spec, podOffloadingStrategy: 'Remote' } },
      reason: 'OtherStrategy',
      says: 'shop is already offloaded as Remote, not as LocalAndRemote',
    },
    {
      name: 'that is being unoffloaded',
      object: {
        ...offloaded,
        metadata: { ...offloaded.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      },
      reason: 'Terminating',
      says: 'it is offloaded after that',
    },
    {
      name: 'that a user has offloaded to the provider by hand',
      object: byHand,
      reason: 'Offloaded',
      says: 'Pods of shop can run on paris',
    },
    {
      name: 'that a user has offloaded elsewhere by hand',
      object: { ...byHand, status: status({ ...required, status: 'False' }) },
      reason: 'MadeByHand',
      says: 'does not select paris: make it select it, or delete it',
    },
  ])('$name', ({ object, reason, says }) => {
    const step = offloadingStep([{ namespace: 'shop', object }], asked)

    expect(step).toMatchObject({ type: 'NamespaceOffloaded', reason })
    expect(step.status).toBe(reason === 'Offloaded' ? 'True' : 'False')
    expect(step.message).toContain(says)
  })

  it('that does not exist holds up the others', () => {
    const seen = [
      { namespace: 'shop', object: offloaded },
      { namespace: 'bank', isGone: true },
    ]

    expect(offloadingStep(seen, asked)).toEqual({
      type: 'NamespaceOffloaded',
      status: 'False',
      reason: 'NamespaceNotFound',
      message: 'There is no namespace bank: create it',
    })
  })

  it('need not be there for a selector', () => {
    expect(offloadingStep([], asked)).toMatchObject({ status: 'True', reason: 'NothingSelected' })
  })
})
