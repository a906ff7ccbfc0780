import { inGroup, oneOf, onOff } from '@bourse/daemon/settings'
import { amounts, share, taints } from './kinds.ts'

/** What of this cluster counts, and how much of it may be lent. */
export const lendingFlags = inGroup('Lending', {
  share: {
    name: 'share',
    kind: share,
    default: 'all',
    help: 'What is offered: all, none (requester only), a percentage, or an amount of each',
    example: 'cpu=64,memory=256Gi',
  },
  keepBack: {
    name: 'keep-back',
    kind: amounts,
    help: 'What to keep free for this cluster itself, per resource',
    example: 'cpu=8,memory=32Gi',
  },
  controlPlaneNodes: {
    name: 'control-plane-nodes',
    kind: oneOf('by-taint', 'count', 'leave-out'),
    default: 'by-taint',
    help: 'Whether control-plane nodes count; by-taint: as every other node',
  },
  countDedicatedNodes: {
    name: 'count-dedicated-nodes',
    kind: onOff,
    default: 'true',
    help: 'Count nodes with a taint named as a resource of theirs, such as nvidia.com/gpu',
  },
  toleratedTaints: {
    name: 'tolerated-taints',
    kind: taints,
    help: "Taints that borrowers' pods tolerate; nodes with others are not counted",
    example: 'dedicated=lending:NoSchedule',
  },
})
