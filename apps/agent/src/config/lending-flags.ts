import { flagsUnder, oneOf, onOff } from '@bourse/daemon/settings'
import { amounts, share, taints } from './kinds.ts'

/** What of this cluster counts, and how much of it may be lent. */
export const lendingFlags = flagsUnder('Lending', {
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
