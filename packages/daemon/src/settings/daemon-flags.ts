import { bindAddress, oneOf } from './flag-kinds.ts'
import type { FlagTable } from './flag-table.ts'

const group = 'Operations'

/** Operational flags of every daemon. */
export const daemonFlags = {
  healthProbeBindAddress: {
    name: 'health-probe-bind-address',
    kind: bindAddress,
    default: ':8081',
    help: 'Address of /healthz and /readyz; 0 turns it off',
    group,
  },
  metricsBindAddress: {
    name: 'metrics-bind-address',
    kind: bindAddress,
    default: ':8080',
    help: 'Address of /metrics; 0 turns it off',
    group,
  },
  logLevel: {
    name: 'log-level',
    kind: oneOf('trace', 'debug', 'info', 'warn', 'error'),
    default: 'info',
    help: 'Least severe level that is logged',
    group,
  },
  logFormat: {
    name: 'log-format',
    kind: oneOf('json', 'pretty'),
    default: 'json',
    help: 'JSON for machines, pretty for people',
    group,
  },
} as const satisfies FlagTable
