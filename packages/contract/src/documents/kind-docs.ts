import type { JsonSchema } from '../fields/json-schema.ts'
import { definitionOf } from '../kinds/definition.ts'
import { agentKinds, brokerKinds, type KindDefinition } from '../kinds/index.ts'
import { fieldTable } from './field-table.ts'

/** docs/reference/kinds.md, for reading; the machine's copy of the same is config/crd/bases. */
export function kindDocs(): string {
  const sections = [
    INTRODUCTION,
    "## In the broker's cluster",
    ...brokerKinds.map(kindSection),
    "## In an agent's cluster",
    ...agentKinds.map(kindSection),
  ]
  return `${sections.join('\n\n')}\n`
}

const INTRODUCTION = `# Kubernetes kinds

*Written by \`make docs\` from \`packages/contract/src/kinds\`; do not edit.*

What \`config/crd/bases\` installs, all of them namespaced; samples are in \`config/samples\`. A \`?\`
marks a field that may be left out. Who may write what:
[installation.md](../installation.md#who-may-do-what).`

function kindSection(kind: KindDefinition): string {
  const { group, version, plural, shortNames, description, columns, selectable } = kind
  const names = [plural, ...shortNames].map(code).join(', ')
  const { spec, status } = propertiesOf(kind)
  const facts = [
    `- ${code(`${group}/${version}`)}, for kubectl ${names}`,
    `- \`kubectl get\` shows ${columns.map(({ name, priority }) => (priority ? `${name} (wide)` : name)).join(', ')}`,
    ...(selectable.length > 0 ? [`- field selectors: ${selectable.map(code).join(', ')}`] : []),
  ]
  const tables = [
    ...['**spec**', `${spec?.description ?? ''}`, fieldTable(spec ?? {})],
    ...(status ? ['**status**', fieldTable(status)] : []),
  ]
  const messages = [...new Set(messagesIn(definitionOf(kind).spec))]
  const rules = messages.map((message) => `- ${message}`).join('\n')
  return [
    ...[`### ${kind.kind}`, description, facts.join('\n'), ...tables],
    ...(rules === '' ? [] : ['The API server refuses what breaks one of these rules:', rules]),
  ].join('\n\n')
}

function propertiesOf(kind: KindDefinition): Record<string, JsonSchema> {
  // A CRD of `definitionOf` has one version, whose schema is an object.
  const [version] = definitionOf(kind).spec.versions as [JsonSchema]
  const { openAPIV3Schema } = version.schema as { openAPIV3Schema: JsonSchema }
  return openAPIV3Schema.properties as Record<string, JsonSchema>
}

/** What the rules of a schema say when they refuse, wherever they are in it. */
function messagesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'x-kubernetes-validations'
      ? (value as { message: string }[]).map(({ message }) => message)
      : messagesIn(value),
  )
}

function code(text: string): string {
  return `\`${text}\``
}
