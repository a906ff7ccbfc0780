import {
  daemonFlags,
  duration,
  type FlagTable,
  flagsUnder,
  oneOf,
  onOff,
  text,
} from '@bourse/daemon/settings'
import { costFlags } from './cost-flags.ts'
import { brokerUrls, clusterId, httpsUrl, labels } from './kinds.ts'
import { lendingFlags } from './lending-flags.ts'
import { peeringFlags } from './peering-flags.ts'

const brokerFlags = flagsUnder('Broker', {
  brokerTransport: {
    kind: oneOf('http', 'grpc', 'mqtt', 'kubernetes'),
    help: 'How to connect to the broker; default http, or kubernetes with --broker-kubeconfig',
  },
  brokerUrl: {
    kind: brokerUrls,
    help: "The broker's REST or gRPC address, or the mqtts:// server; separate several by commas",
    example: 'https://broker.example:8443',
  },
  brokerCertPath: {
    kind: text('DIR'),
    help: 'Directory with tls.crt, tls.key and ca.crt; read again on change',
    example: '/etc/bourse/certs',
  },
  brokerKubeconfig: {
    kind: text('FILE'),
    help: "The broker's cluster, for the kubernetes transport",
  },
  brokerNamespace: {
    kind: text('NAMESPACE'),
    default: 'default',
    help: "Namespace in the broker's cluster, for the kubernetes transport",
  },
  instructionPollInterval: {
    kind: duration({ min: '100ms' }),
    default: '5s',
    help: 'How often to poll a broker without long polls',
  },
})

const clusterFlags = flagsUnder('This cluster', {
  clusterId: {
    kind: clusterId,
    help: "The id of this cluster; default the certificate's Common Name, else kube-system's UID",
    example: 'rome',
  },
  clusterName: { kind: text('NAME'), help: 'Display name; default the cluster id' },
  kubeconfig: {
    kind: text('FILE'),
    help: 'The cluster to offer; default $KUBECONFIG, else in-cluster',
  },
  endpointUrl: {
    kind: httpsUrl,
    help: 'Where requesters reach this API server; default that of the kubeconfig',
  },
  location: { kind: text('PLACE'), help: 'Location, for people and selectors', example: 'eu-west' },
  labels: {
    kind: labels,
    help: 'Labels that requests can select by',
    example: 'tier=gold,green=yes',
  },
  visibility: {
    kind: oneOf('full', 'summary'),
    default: 'summary',
    help: 'Whether other clusters see exact numbers, or only rounded ones',
  },
})

const objectFlags = flagsUnder('Objects', {
  advertisementName: {
    kind: text('NAME'),
    default: 'cluster-advertisement',
    help: 'The Advertisement that shows what was published',
  },
  advertisementNamespace: { kind: text('NAMESPACE'), default: 'default', help: 'Its namespace' },
  instructionNamespace: {
    kind: text('NAMESPACE'),
    help: 'Namespace of the instructions; default that of the Advertisement',
  },
  advertisementRequeueInterval: {
    kind: duration({ min: '1s' }),
    default: '30s',
    help: 'Publish at least this often, up to a tenth earlier',
  },
})

const electionFlags = flagsUnder('Operations', {
  leaderElect: {
    kind: onOff,
    default: 'false',
    help: 'Elect one of several agents of this cluster',
  },
  leaseName: {
    kind: text('NAME'),
    default: 'bourse-agent',
    help: 'The Lease that agents of one cluster compete for',
  },
  leaseNamespace: { kind: text('NAMESPACE'), help: "Its namespace; default the connection's own" },
})

const operationFlags = flagsUnder('Operations', {
  metricsSecure: {
    kind: onOff,
    default: 'false',
    help: 'Serve metrics over TLS with the certificate of --broker-cert-path',
  },
  config: {
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
