import { describe, expect, it } from 'vitest'
import { type Deployment, type LiqoQuota, limitsIn } from './enforcement.ts'

const aDeployment = (...args: string[]): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'liqo' },
  spec: { template: { spec: { containers: [{ args }] } } },
})
const aLiqoQuota = (limitsEnforcement: string): LiqoQuota => ({
  apiVersion: 'offloading.liqo.io/v1beta1',
  kind: 'Quota',
  metadata: { name: 'quota' },
  spec: { limitsEnforcement },
})
const enforcing = aDeployment('--podcidr=10.0.0.0/16', '--enable-resource-enforcement')

describe('how far Liqo holds pods to their quota', () => {
  it.each([
    {
      name: 'is what its controller was told',
      controllers: [aDeployment('--default-limits-enforcement=Hard')],
      limits: 'Hard',
    },
    {
      name: 'is read in upper and lower case, and as two words',
      controllers: [aDeployment('--default-limits-enforcement', 'soft')],
      limits: 'Soft',
    },
    {
      name: 'is not at all if its controller was told nothing',
      controllers: [aDeployment('--cluster-id=paris')],
      limits: 'None',
    },
    {
      name: 'is the weakest of what the Quotas say',
      liqoQuotas: [aLiqoQuota('Hard'), aLiqoQuota('Soft')],
      limits: 'Soft',
    },
    {
      name: 'is None if quotas are not checked',
      controllers: [aDeployment('--default-limits-enforcement=Hard')],
      webhooks: [aDeployment('--podcidr=10.0.0.0/16')],
      limits: 'None',
    },
    {
      name: 'is not at all if quotas are switched off',
      controllers: [aDeployment('--default-limits-enforcement=Hard')],
      webhooks: [aDeployment('--enable-resource-enforcement=false')],
      limits: 'None',
    },
    { name: 'is not known where there is no Liqo to be seen', limits: 'Unknown' },
  ])('$name', ({ liqoQuotas = [], controllers = [], webhooks = [enforcing], limits }) => {
    expect(limitsIn({ liqoQuotas, controllers, webhooks })).toBe(limits)
  })
})
