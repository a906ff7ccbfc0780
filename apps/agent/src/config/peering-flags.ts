import { duration, flagsUnder, oneOf, onOff, text } from '@bourse/daemon/settings'
import { httpsUrl } from './kinds.ts'

/** Peering, and what a provider does for its borrowers. */
export const peeringFlags = flagsUnder('Peering', {
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
