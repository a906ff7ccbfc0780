import type { Kind } from '@bourse/kube'

const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** A CRD for a foreign kind, with a status subresource: every field is accepted. */
export function looseKind({ group, version, plural, kind, namespaced }: Kind) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { ...ANYTHING, properties: { status: ANYTHING } } },
        },
      ],
    },
  }
}
