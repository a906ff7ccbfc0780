import {
  daemonFlags,
  duration,
  type FlagTable,
  inGroup,
  oneOf,
  onOff,
  text,
} from '@bourse/daemon/settings'
import { costFlags } from './cost-flags.ts'
import { brokerUrls, clusterId, httpsUrl, labels } from './kinds.ts'
import { lendingFlags } from './lending-flags.ts'
import { peeringFlags } from './peering-flags.ts'

const brokerFlags = inGroup('Broker', {
  brokerTransport: {
    name: 'broker-transport',
    kind: oneOf('http', 'grpc', 'mqtt', 'kubernetes'),
    help: 'How to connect to the broker; default http, or kubernetes with --broker-kubeconfig',
  },
  brokerUrl: {
    name: 'broker-url',
    kind: brokerUrls,
    help: "The broker's REST or gRPC address, or the mqtts:// server; separate several by commas",
    example: 'https://broker.example:8443',
  },
  brokerCertPath: {
    name: 'broker-cert-path',
    kind: text('DIR'),
    help: 'Directory with tls.crt, tls.key and ca.crt; read again on change',
    example: '/etc/bourse/certs',
  },
  brokerKubeconfig: {
    name: 'broker-kubeconfig',
    kind: text('FILE'),
    help: "The broker's cluster, for the kubernetes transport",
  },
  brokerNamespace: {
    name: 'broker-namespace',
    kind: text('NAMESPACE'),
    default: 'default',
    help: "Namespace in the broker's cluster, for the kubernetes transport",
  },
  instructionPollInterval: {
    name: 'instruction-poll-interval',
    kind: duration({ min: '100ms' }),
    default: '5s',
    help: 'How often to poll a broker without long polls',
  },
})

const clusterFlags = inGroup('This cluster', {
  clusterId: {
    name: 'cluster-id',
    kind: clusterId,
    help: "The id of this cluster; default the certificate's Common Name, else kube-system's UID",
    example: 'rome',
  },
  clusterName: {
    name: 'cluster-name',
    kind: text('NAME'),
    help: 'Display name; default the cluster id',
  },
  kubeconfig: {
    name: 'kubeconfig',
    kind: text('FILE'),
    help: 'The cluster to offer; default $KUBECONFIG, else in-cluster',
  },
  endpointUrl: {
    name: 'endpoint-url',
    kind: httpsUrl,
    help: 'Where requesters reach this API server; default that of the kubeconfig',
  },
  location: {
    name: 'location',
    kind: text('PLACE'),
    help: 'Location, for people and selectors',
    example: 'eu-west',
  },
  labels: {
    name: 'labels',
    kind: labels,
    help: 'Labels that requests can select by',
    example: 'tier=gold,green=yes',
  },
  visibility: {
    name: 'visibility',
    kind: oneOf('full', 'summary'),
    default: 'summary',
    help: 'Whether other clusters see exact numbers, or only rounded ones',
  },
})

const objectFlags = inGroup('Objects', {
  advertisementName: {
    name: 'advertisement-name',
    kind: text('NAME'),
    default: 'cluster-advertisement',
    help: 'The Advertisement that shows what was published',
  },
  advertisementNamespace: {
    name: 'advertisement-namespace',
    kind: text('NAMESPACE'),
    default: 'default',
    help: 'Its namespace',
  },
  instructionNamespace: {
    name: 'instruction-namespace',
    kind: text('NAMESPACE'),
    help: 'Namespace of the instructions; default that of the Advertisement',
  },
  advertisementRequeueInterval: {
    name: 'advertisement-requeue-interval',
    kind: duration({ min: '1s' }),
    default: '30s',
    help: 'Publish at least this often, up to a tenth earlier',
  },
})

const electionFlags = inGroup('Operations', {
  leaderElect: {
    name: 'leader-elect',
    kind: onOff,
    default: 'false',
    help: 'Elect one of several agents of this cluster',
  },
  leaseName: {
    name: 'lease-name',
    kind: text('NAME'),
    default: 'bourse-agent',
    help: 'The Lease that agents of one cluster compete for',
  },
  leaseNamespace: {
    name: 'lease-namespace',
    kind: text('NAMESPACE'),
    help: "Its namespace; default the connection's own",
  },
})

const operationFlags = inGroup('Operations', {
  metricsSecure: {
    name: 'metrics-secure',
    kind: onOff,
    default: 'false',
    help: 'Serve metrics over TLS with the certificate of --broker-cert-path',
  },
  config: {
    name: 'config',
    kind: text('FILE'),
    help: 'YAML or JSON file whose keys are the names of these flags',
    // BOURSE_CONFIG names the settings of the client verbs.
    env: 'BOURSE_AGENT_CONFIG',
  },
})

/** All flags of the agent; names and defaults as in the contract, §6. */
export const agentFlags = {
  ...brokerFlags,
  ...clusterFlags,
  ...lendingFlags,
  ...costFlags,
  ...objectFlags,
  ...peeringFlags,
  ...electionFlags,
  ...daemonFlags,
  ...operationFlags,
} as const satisfies FlagTable
