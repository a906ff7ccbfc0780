import { amountOf, printResources, type Resources, withoutZeros } from '@bourse/domain/quantity'
import {
  createAmountReader,
  PLACEHOLDER_LABEL,
  type PodObject,
  podRequests,
  type ToleratedTaint,
} from '../../../../capacity/index.ts'
import type { Piece } from './pieces.ts'

export type PlaceholderSettings = Readonly<{
  namespace: string
  priorityClass: string
  image: string
  /** Of the nodes that are lent, beside those named as a resource. */
  toleratedTaints: readonly ToleratedTaint[]
}>

const reader = createAmountReader()

export function requestsOf(pod: PodObject): Resources {
  const { pods: _, ...requests } = podRequests(pod, reader, () => {})
  return requests
}

export function pieceOf(pod: PodObject): Piece {
  const { name, uid } = pod.metadata
  return { name, uid, node: pod.spec?.nodeName, amounts: requestsOf(pod) }
}

export function reservationOfPlaceholder({ metadata }: PodObject): string | undefined {
  return metadata.labels?.[PLACEHOLDER_LABEL]
}

/** A pod that does nothing and requests these amounts. */
export function placeholderPod(
  name: string,
  reservation: string,
  { amounts, settings }: Readonly<{ amounts: Resources; settings: PlaceholderSettings }>,
) {
  const requests = printResources(withoutZeros(amounts))
  const dedicated = Object.keys(amounts)
    .filter((one) => one.includes('/') && amountOf(amounts, one) > 0n)
    .map((key) => ({ key, operator: 'Exists' }))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: settings.namespace,
      labels: { [PLACEHOLDER_LABEL]: reservation, 'app.kubernetes.io/part-of': 'bourse' },
    },
    spec: {
      priorityClassName: settings.priorityClass,
      // The pod that preempts it must not wait.
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: [...dedicated, ...settings.toleratedTaints.map(tolerationOf)],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'placeholder',
          image: settings.image,
          resources: { requests, limits: requests },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    },
  }
}

function tolerationOf({ key, value, effect }: ToleratedTaint) {
  return {
    key,
    ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }),
    ...(effect !== undefined && { effect }),
  }
}
