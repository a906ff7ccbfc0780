import type { BrokerConfig } from './broker-config.ts'

/** Says of a taken port by which flag another is chosen; other faults stay as they are. */
export function adviseOnTakenPort(fault: unknown, config: BrokerConfig): unknown {
  // `code` and `port` are not part of Error's type; Node puts them there.
  const { code, port } = fault as { code?: unknown; port?: unknown }
  if (!(fault instanceof Error) || code !== 'EADDRINUSE') return fault
  const [flag] = flagsByPort(config).find(([, taken]) => taken === port) ?? []
  if (flag === undefined) return fault
  const advice = `Another process listens there: choose another port with --${flag}`
  return Object.assign(fault, { advice })
}

function flagsByPort({ http, grpc, health, metrics, dashboard }: BrokerConfig) {
  return [
    ['health-probe-bind-address', health?.port],
    ['http-port', http?.port],
    ['grpc-port', grpc?.port],
    ['metrics-bind-address', metrics?.port],
    ['dashboard-bind-address', dashboard?.port],
  ] as const
}
