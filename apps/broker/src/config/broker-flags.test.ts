import { readFlags } from '@bourse/daemon/settings'
import { describe, expect, it } from 'vitest'
import { brokerFlags } from './broker-flags.ts'

describe('brokerFlags', () => {
  it('has only defaults that it would accept itself', () => {
    expect(readFlags(brokerFlags, { argv: [], env: {} }).kind).toBe('values')
  })

  it('is named as the contract has it', () => {
    const names = Object.values(brokerFlags).map((flag) => flag.name)

    expect(names).toEqual(expect.arrayContaining(CONTRACT_FLAGS))
  })
})

// contract §6
const CONTRACT_FLAGS = [
  'broker-interface',
  'http-port',
  'http-cert-path',
  'http-namespace',
  'kubeconfig',
  'store',
  'data-dir',
  'stale-after',
  'score-weights',
  'currency',
  'max-duration',
  'default-duration',
  'rate-limit',
  'allow-clusters',
  'deny-clusters',
  'history',
  'drain-timeout',
  'reclaim-after',
  'adopt',
  'health-probe-bind-address',
  'metrics-bind-address',
  'metrics-secure',
  'leader-elect',
]
