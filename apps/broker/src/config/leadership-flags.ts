import { duration, flagsUnder, onOff, text } from '@bourse/daemon/settings'

/** How several brokers of one ledger elect a leader. */
export const leadershipFlags = flagsUnder('Operations', {
  leaderElect: {
    kind: onOff,
    default: 'false',
    help: 'Elect one of several brokers; no effect with the sqlite store',
  },
  leaseName: {
    kind: text('NAME'),
    default: 'bourse-broker',
    help: 'The Lease that brokers of one ledger compete for',
  },
  leaseDuration: {
    kind: duration({ min: '1s' }),
    default: '5s',
    help: 'A leader that is silent for so long is replaced; whole seconds',
  },
  leaseRenew: {
    kind: duration({ min: '500ms' }),
    default: '3s',
    help: 'A leader that cannot renew its lease for so long stops answering',
  },
  leaseRetry: {
    kind: duration({ min: '100ms' }),
    default: '1s',
    help: 'Between two attempts to take or renew the lease',
  },
  publicUrl: {
    kind: text('URL'),
    help: 'Address of this broker that standbys name to callers; default https://HOSTNAME:PORT',
  },
})
