import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { repositoryRoot } from '@bourse/testkit'
import { parseAllDocuments } from 'yaml'

export const run = promisify(execFile)
export const here = { cwd: repositoryRoot, encoding: 'utf8' } as const

type Manifest = {
  kind: string
  metadata: { name: string }
  rules?: readonly Readonly<{ resources: readonly string[] }>[]
  spec?: {
    template?: { spec: object }
    ingress?: readonly TrafficRule[] | null
    egress?: readonly TrafficRule[] | null
    failurePolicy?: string
    policyName?: string
    validationActions?: readonly string[]
  }
}
type TrafficRule = Readonly<{
  ports: readonly Readonly<{ port: string | number }>[]
  from?: readonly object[]
  to?: readonly object[]
}>

export async function helmPath(): Promise<string> {
  const { stdout } = await run('tools/install-helm', ['--where'], here)
  return stdout.trim()
}

export async function helm(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(await helmPath(), args, here)
  return stdout
}

/** Who is let in, by port; `all` where a rule names none. */
export function letIn(all: readonly Manifest[]): Record<string, unknown> {
  return byPort(all, ({ ingress }) => ingress)
}

/** Where pods may go, by port; `all` where a rule names none. */
export function letOut(all: readonly Manifest[]): Record<string, unknown> {
  return byPort(all, ({ egress }) => egress)
}

type Spec = NonNullable<Manifest['spec']>

function byPort(all: readonly Manifest[], rulesOf: (spec: Spec) => Spec['ingress']) {
  const policies = all.filter(({ kind }) => kind === 'NetworkPolicy')
  const rules = policies.flatMap(({ spec = {} }) => rulesOf(spec) ?? [])
  const peers = rules.flatMap(({ ports, from = [], to = from }) =>
    ports.map(({ port }) => [port, to.length === 0 ? 'all' : to] as const),
  )
  return Object.fromEntries(peers)
}

/** Policies that would let something pass if they failed, or that nothing puts in force. */
export function openPolicies(all: readonly Manifest[]): string[] {
  const closing = new Set(
    all
      .filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding')
      .filter(({ spec }) => spec?.validationActions?.includes('Deny'))
      .map(({ spec }) => spec?.policyName),
  )
  return policiesIn(all)
    .filter(({ metadata, spec }) => spec?.failurePolicy !== 'Fail' || !closing.has(metadata.name))
    .map(({ metadata }) => metadata.name)
}

export function policiesIn(all: readonly Manifest[]): readonly Manifest[] {
  return all.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
}

/** A chart of ours, as it would be installed with some values. */
export function aChart(name: string) {
  const path = `charts/${name}`
  const template = (...values: readonly string[]) =>
    helm('template', name, path, '-n=bourse-system', '--kube-version=1.36.0', ...values)

  async function manifests(...values: readonly string[]): Promise<Manifest[]> {
    const documents = parseAllDocuments(await template(...values))
    // The chart renders Kubernetes objects only; a document may be empty.
    return documents.map((one) => one.toJS() as Manifest | null).filter((one) => one !== null)
  }
  return { path, template, manifests }
}
