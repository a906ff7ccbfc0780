import { PRIORITY_MAX } from '@bourse/contract'
import {
  bindAddress,
  clusterList,
  currency,
  daemonFlags,
  duration,
  type FlagTable,
  type FlagValues,
  flagsUnder,
  oneOf,
  onOff,
  rates,
  someOf,
  text,
  wholeNumber,
} from '@bourse/daemon/settings'
import { defaultPolicy } from '@bourse/domain/placement'
import { anchorFlag } from './anchor-flag.ts'
import { policyFlag } from './policy-flag.ts'

const PORT = { min: 0, max: 65_535 }

/** Everything the broker can be told; names and defaults as in the contract, §6. */
export const brokerFlags = {
  ...flagsUnder('Interfaces', {
    brokerInterface: {
      kind: someOf('http', 'kubernetes', 'grpc', 'mqtt'),
      help: 'Interfaces to open; default kubernetes, plus http when --http-cert-path is given',
      example: 'http',
    },
    httpPort: {
      kind: wholeNumber(PORT),
      default: '8443',
      help: 'Port of the REST API over mutual TLS; 0 takes any free one',
    },
    httpHost: {
      kind: text('HOST'),
      help: 'Address the REST API listens on; default all',
      example: '127.0.0.1',
    },
    httpCertPath: {
      kind: text('DIR'),
      help: 'Directory with tls.crt, tls.key, ca.crt and optionally crl.pem; read again on change',
      example: '/etc/bourse/certs',
    },
    grpcPort: {
      kind: wholeNumber(PORT),
      default: '8444',
      help: 'Port of the gRPC interface, with the certificates of --http-cert-path',
    },
    mqttUrl: {
      kind: text('URL,…'),
      help: 'The MQTT 5 server that carries the mqtt interface; several with commas, all are used',
      example: 'mqtts://mqtt.example:8883',
    },
    mqttCertPath: {
      kind: text('DIR'),
      help: 'Directory with tls.crt, tls.key and ca.crt for that server; default --http-cert-path',
    },
    httpNamespace: {
      kind: text('NAMESPACE'),
      default: 'default',
      help: 'Namespace for what comes by REST, with the kubernetes interface',
    },
    kubeconfig: {
      kind: text('FILE'),
      help: 'Cluster of the kubernetes interface, store and lease; default in-cluster',
    },
    allowClusters: {
      kind: clusterList,
      help: 'Only these cluster ids may call; a file is read again on change',
      example: 'rome,paris',
    },
    denyClusters: {
      kind: clusterList,
      help: 'These cluster ids may not call, even with a valid certificate; read again on change',
      example: '@/etc/bourse/denied',
    },
  }),
  ...flagsUnder('Ledger', {
    store: {
      kind: oneOf('sqlite', 'kubernetes', 'postgres'),
      help: 'Where the ledger is stored; default sqlite without the kubernetes interface',
    },
    dataDir: {
      kind: text('DIR'),
      default: './bourse-data',
      help: 'Directory of the sqlite store, or of the cache of the kubernetes store',
    },
    storeNamespace: {
      kind: text('NAMESPACE'),
      help: "Where the kubernetes store and the lease are; default the connection's own",
    },
    storeSlots: {
      kind: wholeNumber({ min: 16, max: 9_999 }),
      default: '1024',
      help: 'Size of a new journal in the kubernetes store, in batches; fixed when it is created',
    },
    postgresUrl: {
      kind: text('URL'),
      help: 'Database of the postgres store; give it by variable, as it may hold a password',
      example: 'postgres://bourse@db/bourse',
    },
    anchor: {
      kind: anchorFlag,
      help: 'Notes the last index outside the store: an older copy of the store does not start',
      example: '/var/lib/bourse-anchor/anchor.json',
    },
    history: {
      kind: duration({ min: '1m' }),
      default: '168h',
      help: 'How long ended reservations and full explanations are kept',
    },
    snapshotEvery: {
      kind: wholeNumber({ min: 100, max: 100_000_000 }),
      default: '100000',
      help: 'Events between two snapshots: fewer restart faster, more write less',
    },
    adopt: {
      kind: onOff,
      default: 'false',
      help: 'Take over the objects of an earlier broker on an empty ledger',
    },
  }),
  ...flagsUnder('Policy', {
    staleAfter: {
      kind: duration({ min: '1s' }),
      default: '10m',
      help: 'A cluster that is silent for this long gets nothing new',
    },
    scoreWeights: {
      kind: policyFlag(),
      default: defaultPolicy.version,
      help: "Each scorer's share of the score",
    },
    currency: { kind: currency, default: 'USD', help: 'Currency that prices are compared in' },
    rates: {
      kind: rates,
      help: 'What one unit of another currency is worth in --currency; a file is read again on change',
      example: 'EUR=1.08',
    },
    maxDuration: {
      kind: duration({ min: '1s' }),
      default: '720h',
      help: 'Longest duration a reservation may ask for',
    },
    defaultDuration: {
      kind: duration({ min: '1s' }),
      help: 'Duration of reservations that name none; default: until released',
      example: '1h',
    },
    maxPriority: {
      kind: wholeNumber({ min: 0, max: PRIORITY_MAX }),
      default: '100',
      help: 'Highest priority that counts, for all callers but operators',
    },
    drainTimeout: {
      kind: duration({ min: '0s' }),
      default: '2m',
      help: 'How long a released reservation that was in use may keep its capacity',
    },
    reclaimAfter: {
      kind: duration({ min: '1s' }),
      default: '24h',
      help: 'An endless reservation ends when its requester is silent for this long',
    },
  }),
  ...flagsUnder('Limits', {
    rateLimit: {
      kind: wholeNumber({ min: 0, max: 10_000_000 }),
      default: '2000',
      help: 'Ordinary requests per second and cluster, costly ones count for more; 0 is off',
    },
    journalMibPerDay: {
      kind: wholeNumber({ min: 0, max: 100_000_000 }),
      default: '1024',
      help: 'How much one cluster may make the journal grow in a day, in MiB; 0 is off',
    },
    maxConnections: {
      kind: wholeNumber({ min: 1, max: 1_000_000 }),
      help: 'Open connections to the REST API (default 10000, fewer where memory is limited)',
    },
    shutdownTimeout: {
      kind: duration({ min: '0s' }),
      default: '15s',
      help: 'How long running requests may take to finish when the broker stops',
    },
  }),
  ...daemonFlags,
  ...flagsUnder('Operations', {
    metricsSecure: {
      kind: onOff,
      default: 'false',
      help: "Serve metrics over TLS with the REST API's certificate",
    },
    metricsTenants: { kind: onOff, default: 'false', help: 'Name requesters in the metrics' },
    dashboardBindAddress: {
      kind: bindAddress,
      default: '127.0.0.1:8090',
      help: 'The live page; 0 is off',
    },
    dashboardTokenFile: {
      kind: text('FILE'),
      help: "File with the operator's token; required when the page is not on loopback",
    },
    dashboardHosts: {
      kind: text('NAME,…'),
      help: 'Further names the page is reached by, e.g. behind a proxy',
    },
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
      help: 'A leader that is silent for this long is replaced; whole seconds',
    },
    leaseRenew: {
      kind: duration({ min: '500ms' }),
      default: '3s',
      help: 'A leader that cannot renew its lease for this long stops answering',
    },
    leaseRetry: {
      kind: duration({ min: '100ms' }),
      default: '1s',
      help: 'Time between two attempts to take or renew the lease',
    },
    publicUrl: {
      kind: text('URL'),
      help: 'Address of this broker that standbys name to callers; default https://HOSTNAME:PORT',
    },
    config: {
      kind: text('FILE'),
      help: 'YAML or JSON file whose keys are the names of these flags',
      // BOURSE_CONFIG names the settings of the client verbs.
      env: 'BOURSE_BROKER_CONFIG',
    },
  }),
} as const satisfies FlagTable

export type Written = FlagValues<typeof brokerFlags>
