import { bindAddress, oneOf } from './flag-kinds.ts'
import { inGroup } from './flag-table.ts'

/** Operational flags of every daemon. */
export const daemonFlags = inGroup('Operations', {
  healthProbeBindAddress: {
    name: 'health-probe-bind-address',
    kind: bindAddress,
    default: ':8081',
    help: 'Address of /healthz and /readyz; 0 turns it off',
  },
  metricsBindAddress: {
    name: 'metrics-bind-address',
    kind: bindAddress,
    default: ':8080',
    help: 'Address of /metrics; 0 turns it off',
  },
  logLevel: {
    name: 'log-level',
    kind: oneOf('trace', 'debug', 'info', 'warn', 'error'),
    default: 'info',
    help: 'Least severe level that is logged',
  },
  logFormat: {
    name: 'log-format',
    kind: oneOf('json', 'pretty'),
    default: 'json',
    help: 'JSON for machines, pretty for people',
  },
})
