import { readFileSync } from 'node:fs'
import { agentFlags } from '@bourse/agent/config'
import { brokerFlags } from '@bourse/broker/config'
import type { FlagTable } from '@bourse/daemon/settings'
import { expect, it } from 'vitest'

/** Flags that the templates set: a second value would contradict them. */
const SET_BY_CHART: Readonly<Record<string, readonly string[]>> = {
  broker: [
    'anchor',
    'broker-interface',
    'config',
    'data-dir',
    'grpc-port',
    'health-probe-bind-address',
    'http-cert-path',
    'http-host',
    'http-namespace',
    'http-port',
    'kubeconfig',
    'leader-elect',
    'lease-name',
    'metrics-bind-address',
    'mqtt-cert-path',
    'mqtt-url',
    'postgres-url',
    'public-url',
    'store',
    'store-namespace',
  ],
  agent: [
    'advertisement-namespace',
    'broker-cert-path',
    'broker-kubeconfig',
    'broker-namespace',
    'broker-transport',
    'broker-url',
    'cluster-id',
    'config',
    'cost-configmap',
    'gateway-address',
    'gateway-service-type',
    'instruction-namespace',
    'kubeconfigs-dir',
    'leader-elect',
    'peering',
    'peering-networking',
  ],
}

it.each<{ name: string; flags: FlagTable }>([
  { name: 'broker', flags: brokerFlags },
  { name: 'agent', flags: agentFlags },
])('the chart of the $name takes every flag in its config, and no misspelt one', (chart) => {
  const path = new URL(`../../../charts/bourse-${chart.name}/values.schema.json`, import.meta.url)
  const schema = JSON.parse(readFileSync(path, 'utf8'))

  const all = Object.values(chart.flags).map(({ name }) => name)
  const free = all.filter((name) => !SET_BY_CHART[chart.name]?.includes(name))
  expect(schema.properties.config.propertyNames.enum).toEqual(free.toSorted())
})
