import { describe, expect, it } from 'vitest'
import { createMemoryCluster } from '../../../../fixtures/peering/native/fake/memory-cluster.ts'
import { LIQO } from './liqo-kinds.ts'
import { readOwnSubnets, subnetsProblem } from './subnets.ts'

describe('what another cluster claims to be behind its end', () => {
  const fine = { podCIDRs: ['10.1.0.0/16'], externalCIDRs: ['10.70.0.0/16'] }

  it.each([
    { name: 'a network of pods and an external one', said: fine },
    { name: 'several', said: { ...fine, podCIDRs: ['10.1.0.0/16', 'fd00:1::/48'] } },
  ])('may be $name', ({ said }) => {
    expect(subnetsProblem(said)).toBeUndefined()
  })

  const pods = (...podCIDRs: string[]) => ({ ...fine, podCIDRs })
  it.each([
    { said: undefined, problem: 'it has no podCIDRs' },
    { said: pods(), problem: 'it has no podCIDRs' },
    { said: { podCIDRs: ['10.1.0.0/16'] }, problem: 'it has no externalCIDRs' },
    {
      said: pods('0.0.0.0/0'),
      problem: `"0.0.0.0/0" in its podCIDRs is not a valid cluster network`,
    },
    { said: pods('::/0'), problem: `"::/0" in its podCIDRs is not a valid cluster network` },
    {
      said: pods('10.1.0.0/33'),
      problem: `"10.1.0.0/33" in its podCIDRs is not a valid cluster network`,
    },
    {
      said: pods('10.1.0.0'),
      problem: `"10.1.0.0" in its podCIDRs is not a valid cluster network`,
    },
    { said: pods('10.1/16'), problem: `"10.1/16" in its podCIDRs is not a valid cluster network` },
    {
      said: pods(...Array.from({ length: 17 }, (_, i) => `10.${i}.0.0/16`)),
      problem: 'it has more than 16 podCIDRs',
    },
  ])('is refused when $problem', ({ said, problem }) => {
    expect(subnetsProblem(said)).toBe(problem)
  })
})

describe('what is behind our end', () => {
  async function withNetworks(...networks: [type: string, cidr?: string][]) {
    const { client } = createMemoryCluster()
    for (const [at, [type, cidr]] of networks.entries())
      await client.create(LIQO.network, {
        apiVersion: 'ipam.liqo.io/v1alpha1',
        kind: 'Network',
        metadata: {
          name: `n${at}`,
          namespace: 'liqo',
          labels: { 'ipam.liqo.io/network-type': type },
        },
        status: cidr === undefined ? {} : { cidr },
      })
    return readOwnSubnets(client, 'liqo')
  }

  it('is what Liqo has mapped its networks to', async () => {
    const subnets = await withNetworks(
      ['pod-cidr', '10.1.0.0/16'],
      ['pod-cidr', '10.2.0.0/16'],
      ['external-cidr', '10.70.0.0/16'],
      ['service-cidr', '10.96.0.0/16'],
    )

    expect(subnets).toEqual({
      podCIDRs: ['10.1.0.0/16', '10.2.0.0/16'],
      externalCIDRs: ['10.70.0.0/16'],
    })
  })

  it('is not known while one of them has no status', async () => {
    const subnets = await withNetworks(
      ['pod-cidr', '10.1.0.0/16'],
      ['pod-cidr'],
      ['external-cidr', '10.70.0.0/16'],
    )

    expect(subnets).toBeUndefined()
  })

  it('is not known without the networking of Liqo', async () => {
    expect(await withNetworks()).toBeUndefined()
  })
})
