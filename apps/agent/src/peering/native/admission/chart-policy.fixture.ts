import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import type { Policy, PolicyBinding } from './admission-policy.ts'

const rendered = new URL('../../../../../../config/agent-admission/', import.meta.url)

/** What the chart renders: a policy, then its binding. */
export function chartPolicy(file: string) {
  const documents = parseAllDocuments(readFileSync(new URL(file, rendered), 'utf8'))
  const [policy, binding] = documents.map((one) => one.toJS()) as [Policy, PolicyBinding]
  const withSpec = (spec: Policy['spec']): Policy => ({
    ...policy,
    spec: { ...policy.spec, ...spec },
  })
  return { policy, binding, withSpec }
}
