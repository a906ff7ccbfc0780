import {
  currency,
  daemonFlags,
  duration,
  type FlagTable,
  flagsUnder,
  oneOf,
  onOff,
  text,
} from '@bourse/daemon/settings'
import {
  amounts,
  brokerUrls,
  clusterId,
  httpsUrl,
  labels,
  objectName,
  price,
  share,
  taints,
} from './kinds.ts'

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
    help: 'How often to poll a broker of the Go original; no effect at ours, which answers at once',
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
    help: 'Where requesters reach this API server; default that of the kubeconfig, else looked up',
  },
  location: {
    kind: text('PLACE'),
    help: 'Where this cluster is, for people; placement ignores it',
    example: 'eu-west',
  },
  labels: {
    kind: labels,
    help: 'Shown to people, and put on nodes that others borrow; placement ignores them',
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

/** Prices of this cluster. */
const costFlags = flagsUnder('Cost', {
  cpuCost: { kind: price, help: 'Price of a core-hour', example: '0.04' },
  memoryCost: { kind: price, help: 'Price of a GiB-hour', example: '0.005' },
  gpuCost: { kind: price, help: 'Price of a GPU-hour', example: '1.95' },
  currency: { kind: currency, default: 'USD', help: 'Currency of the prices' },
  costConfigmap: {
    kind: objectName,
    help: 'A ConfigMap with prices and tariffs, followed live; wins over the flags',
    example: 'bourse-system/prices',
  },
  costFromNodes: {
    kind: onOff,
    default: 'false',
    help: 'Average prices from node labels bourse.dev/cpu-cost, memory-cost, gpu-cost',
  },
})

/** What of this cluster counts, and how much of it may be lent. */
const lendingFlags = flagsUnder('Lending', {
  share: {
    kind: share,
    default: 'all',
    help: 'What is offered: all, none (requester only), a percentage, or an amount of each',
    example: 'cpu=64,memory=256Gi',
  },
  keepBack: {
    kind: amounts,
    help: 'What to keep free for this cluster itself, per resource',
    example: 'cpu=8,memory=32Gi',
  },
  controlPlaneNodes: {
    kind: oneOf('by-taint', 'count', 'leave-out'),
    default: 'by-taint',
    help: 'Whether control-plane nodes count; by-taint: as every other node',
  },
  countDedicatedNodes: {
    kind: onOff,
    default: 'true',
    help: 'Count nodes with a taint named as a resource of theirs, such as nvidia.com/gpu',
  },
  toleratedTaints: {
    kind: taints,
    help: "Taints that borrowers' pods tolerate; nodes with others are not counted",
    example: 'dedicated=lending:NoSchedule',
  },
})

/** Peering, and what a provider does for its borrowers. */
const peeringFlags = flagsUnder('Peering', {
  peering: {
    kind: oneOf('none', 'liqoctl', 'native'),
    help: 'How borrowed capacity is made usable; default none, liqoctl with --kubeconfigs-dir',
  },
  kubeconfigsDir: {
    kind: text('DIR'),
    help: 'Files <cluster-id>.kubeconfig, for peering by liqoctl',
  },
  liqoctl: {
    kind: text('FILE'),
    default: 'liqoctl',
    help: 'The program, for peering by liqoctl: a path, or a name in PATH',
    example: '/usr/local/bin/liqoctl',
  },
  liqoctlTimeout: {
    kind: duration({ min: '1s' }),
    default: '10m',
    help: 'How long one of its commands may take',
  },
  liqoNamespace: { kind: text('NAMESPACE'), default: 'liqo', help: 'Where Liqo is installed' },
  sliceClass: {
    kind: text('CLASS'),
    default: 'bourse',
    help: 'The class of ResourceSlices that agents ask with and answer; the same in a federation',
  },
  peeringNetworking: {
    kind: oneOf('none', 'wireguard'),
    default: 'none',
    help: 'Whether pods of the two clusters can reach each other',
  },
  gatewayServiceType: {
    kind: oneOf('LoadBalancer', 'NodePort', 'ClusterIP'),
    default: 'LoadBalancer',
    help: "How requesters reach this cluster's end of a tunnel, with wireguard",
  },
  gatewayAddress: {
    kind: text('HOST'),
    help: 'Where they reach it; default the address that its Service has',
    example: 'gateway.paris.example',
  },
  apiServerUrl: {
    kind: httpsUrl,
    help: "Where requesters' Liqo reaches this API server; default what Liqo here says",
    example: 'https://paris.example:6443',
  },
  peeringLinger: {
    kind: duration({ min: '0s' }),
    default: '10m',
    help: 'How long a peering outlives the last reservation of two clusters',
  },
  peeringGrace: {
    kind: duration({ min: '1s' }),
    default: '10m',
    help: 'How long a silent cluster is waited for before its part is cleaned up here',
  },
  drainTimeout: {
    kind: duration({ min: '0s' }),
    default: '5m',
    help: 'How long pods may take to leave a borrowed node; after that they are deleted',
  },
  holdWithPlaceholders: {
    kind: onOff,
    default: 'false',
    help: 'Hold the room of reservations with placeholder pods until their own pods come',
  },
  placeholderPriorityClass: {
    kind: text('NAME'),
    default: 'bourse-placeholder',
    help: 'PriorityClass of the placeholders; pods above it preempt them',
  },
  placeholderImage: {
    kind: text('IMAGE'),
    default: 'registry.k8s.io/pause:3.10',
    help: 'Image of the placeholders',
  },
  takeBackAfter: {
    kind: duration({ min: '0s' }),
    default: '1m',
    help: 'How long pods of an ended reservation may go on; no new ones are admitted',
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
