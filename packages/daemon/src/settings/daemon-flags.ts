import { bindAddress, oneOf } from './flag-kinds.ts'
import { flagsUnder } from './flag-table.ts'

/** Operational flags of every daemon. */
export const daemonFlags = flagsUnder('Operations', {
  healthProbeBindAddress: {
    kind: bindAddress,
    default: ':8081',
    help: 'Address of /healthz and /readyz; 0 turns it off',
  },
  metricsBindAddress: {
    kind: bindAddress,
    default: ':8080',
    help: 'Address of /metrics; 0 turns it off',
  },
  logLevel: {
    kind: oneOf('trace', 'debug', 'info', 'warn', 'error'),
    default: 'info',
    help: 'Least severe level that is logged',
  },
  logFormat: {
    kind: oneOf('json', 'pretty'),
    help: 'JSON for machines, pretty for people (default: pretty on a terminal, else json)',
  },
})

/** A person reads a terminal, a program everything else. */
export function usualLogFormat(stdout: { isTTY?: boolean } = process.stdout): 'json' | 'pretty' {
  return stdout.isTTY ? 'pretty' : 'json'
}
