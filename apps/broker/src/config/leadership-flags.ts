import { duration, type FlagTable, onOff, text } from '@bourse/daemon/settings'

/** How several brokers of one ledger elect a leader. */
export const leadershipFlags = {
  leaderElect: {
    name: 'leader-elect',
    kind: onOff,
    default: 'false',
    help: 'Elect one of several brokers; no effect with the sqlite store',
    group: 'Operations',
  },
  leaseName: {
    name: 'lease-name',
    kind: text('NAME'),
    default: 'bourse-broker',
    help: 'The Lease that brokers of one ledger compete for',
    group: 'Operations',
  },
  leaseDuration: {
    name: 'lease-duration',
    kind: duration({ min: '1s' }),
    default: '5s',
    help: 'A leader that is silent for so long is replaced; whole seconds',
    group: 'Operations',
  },
  leaseRenew: {
    name: 'lease-renew',
    kind: duration({ min: '500ms' }),
    default: '3s',
    help: 'A leader that cannot renew its lease for so long stops answering',
    group: 'Operations',
  },
  leaseRetry: {
    name: 'lease-retry',
    kind: duration({ min: '100ms' }),
    default: '1s',
    help: 'Between two attempts to take or renew the lease',
    group: 'Operations',
  },
  publicUrl: {
    name: 'public-url',
    kind: text('URL'),
    help: 'Address of this broker that standbys name to callers; default https://HOSTNAME:PORT',
    group: 'Operations',
  },
} as const satisfies FlagTable
