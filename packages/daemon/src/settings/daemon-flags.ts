import { bindAddress, oneOf } from './flag-kinds.ts'
import type { FlagTable } from './flag-table.ts'

const group = 'Operations'

/** What whoever runs it asks of every process, whatever it does. */
export const daemonFlags = {
  healthProbeBindAddress: {
    name: 'health-probe-bind-address',
    kind: bindAddress,
    default: ':8081',
    help: '/healthz and /readyz; 0 is off',
    group,
  },
  metricsBindAddress: {
    name: 'metrics-bind-address',
    kind: bindAddress,
    default: ':8080',
    help: '/metrics; 0 is off',
    group,
  },
  logLevel: {
    name: 'log-level',
    kind: oneOf('trace', 'debug', 'info', 'warn', 'error'),
    default: 'info',
    help: 'What is worth a line',
    group,
  },
  logFormat: {
    name: 'log-format',
    kind: oneOf('json', 'pretty'),
    default: 'json',
    help: 'For machines or for people',
    group,
  },
} as const satisfies FlagTable
