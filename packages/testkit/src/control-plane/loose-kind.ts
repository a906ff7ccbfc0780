type Named = Readonly<{
  group: string
  version: string
  plural: string
  kind: string
  namespaced: boolean
}>

const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** A CRD for somebody else's kind, with a status of its own: whatever is written is taken. */
export function looseKind({ group, version, plural, kind, namespaced }: Named) {
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
