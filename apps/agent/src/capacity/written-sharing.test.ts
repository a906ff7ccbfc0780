import type { SharingField } from '@bourse/contract/kinds'
import { describe, expect, it } from 'vitest'
import type { SharingLimits } from './sharing.ts'
import { sharingInForce } from './written-sharing.ts'

const flags: SharingLimits = {
  share: { kind: 'percentage', percent: 50 },
  keepBack: { cpu: 8_000n },
}

describe('the limits in force', () => {
  it.each<{ name: string; written: SharingField | undefined; limits: object; says: string }>([
    {
      name: 'are those of the flags where nothing is written',
      written: undefined,
      limits: flags,
      says: 'At most 50% of each resource is lent. 8 cpu are kept back.',
    },
    {
      name: 'are those that are written, and the flags for the rest',
      written: { share: 'all' },
      limits: { share: { kind: 'all' }, keepBack: { cpu: 8_000n } },
      says: 'Everything that is free is lent. 8 cpu are kept back.',
    },
    {
      name: 'keep nothing back where that is written',
      written: { keepBack: {} },
      limits: { share: { kind: 'percentage', percent: 50 }, keepBack: {} },
      says: 'At most 50% of each resource is lent.',
    },
    {
      name: 'are amounts, with or without quotes',
      written: { amounts: { cpu: 16, gpu: '2' }, keepBack: { memory: '4Gi' } },
      limits: {
        share: { kind: 'amount', amount: { cpu: 16_000n, 'nvidia.com/gpu': 2n } },
        keepBack: { memory: 4_294_967_296n },
      },
      says: 'At most 16 cpu, 2 nvidia.com/gpu is lent. 4Gi memory are kept back.',
    },
    {
      name: 'let a cluster only borrow',
      written: { share: 'none', keepBack: {} },
      limits: { share: { kind: 'nothing' }, keepBack: {} },
      says: 'Nothing is lent: this cluster only borrows.',
    },
  ])('$name', ({ written, limits, says }) => {
    const inForce = sharingInForce(written, flags)

    expect(inForce.limits).toEqual(limits)
    expect(inForce.condition).toMatchObject({ type: 'Sharing', status: 'True', message: says })
  })

  it.each<{ written: object; says: string }>([
    {
      written: { share: 'half' },
      says: 'spec.sharing.share: "half" is not valid: use all, none, or a percentage such as 50%.',
    },
    {
      written: { share: '101%' },
      says: 'spec.sharing.share: "101%" is not valid: use all, none, or a percentage such as 50%.',
    },
    {
      written: { share: 50 },
      says: 'spec.sharing.share: 50 is not valid: use all, none, or a percentage such as 50%.',
    },
    {
      written: { share: 'all', amounts: { cpu: '1' } },
      says: 'spec.sharing: give share or amounts, not both.',
    },
    {
      written: { amounts: { gpu: '500m' } },
      says: 'spec.sharing.amounts.gpu: 500m is a fraction: gpu comes in whole pieces.',
    },
  ])('lend nothing new on nonsense, and name the field: $says', ({ written, says }) => {
    const { limits, condition } = sharingInForce(written, flags)

    expect(limits).toEqual({ share: { kind: 'nothing' }, keepBack: {} })
    expect(condition).toEqual({
      type: 'Sharing',
      status: 'False',
      reason: 'NotUnderstood',
      message: `${says} Nothing new is lent until that is corrected.`,
    })
  })

  it('name every bad amount', () => {
    const { condition } = sharingInForce({ keepBack: { cpu: 'two', memory: '-1' } }, flags)

    expect(condition.message).toMatch(/spec\.sharing\.keepBack\.cpu: .*keepBack\.memory: /)
  })
})
