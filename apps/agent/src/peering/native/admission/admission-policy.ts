import { ignoring, isNotFound, type Kind, type KubeClient, type KubeObject } from '@bourse/kube'
import type { Step } from '../../port/peering.ts'

const POLICY = admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies')
const POLICY_BINDING = admission(
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
)

function admission(kind: string, plural: string): Kind {
  return { group: 'admissionregistration.k8s.io', version: 'v1', plural, kind, namespaced: false }
}

type Expression = Readonly<{ name?: string; expression: string }>
type Rule = Readonly<{
  apiGroups?: readonly string[]
  operations?: readonly string[]
  resources?: readonly string[]
}>
type Constraints = Readonly<{
  resourceRules?: readonly Rule[]
  excludeResourceRules?: readonly Rule[]
  namespaceSelector?: object
  objectSelector?: object
}>
export type Policy = KubeObject<
  Readonly<{
    failurePolicy?: string
    paramKind?: object
    matchConstraints?: Constraints
    matchConditions?: readonly Expression[]
    variables?: readonly Expression[]
    validations?: readonly Expression[]
  }>
>
export type PolicyBinding = KubeObject<
  Readonly<{
    policyName?: string
    validationActions?: readonly string[]
    matchResources?: Constraints
  }>
>

export type PolicyStanding = 'InForce' | 'Altered' | 'Missing'
export type FoundPolicy = Readonly<{ policy: PolicyStanding; problem?: string | undefined }>

/** How to restore the chart's policies, for messages. */
const INSTALL = 'apply the chart with admission.enabled, or config/agent-admission'

/** Finds and checks the policy and its binding by the chart's name. */
export async function findPolicy(
  client: Pick<KubeClient, 'get'>,
  name: string,
  problemOf: (policy: Policy, binding: PolicyBinding) => string | undefined,
  signal: AbortSignal,
): Promise<FoundPolicy> {
  const find = <T extends KubeObject>(kind: Kind) =>
    ignoring(isNotFound, client.get<T>(kind, name, undefined, { signal }))
  const [policy, binding] = await Promise.all([
    find<Policy>(POLICY),
    find<PolicyBinding>(POLICY_BINDING),
  ])
  if (!policy || !binding) return { policy: 'Missing' }
  const problem = problemOf(policy, binding)
  return { policy: problem === undefined ? 'InForce' : 'Altered', problem }
}

/** The condition of a policy that is missing or altered; undefined: it is in force. */
export function policyComplaint(
  { policy, problem }: FoundPolicy,
  name: string,
  withoutIt: string,
): Omit<Step, 'type'> | undefined {
  if (policy === 'InForce') return undefined
  const what =
    policy === 'Missing'
      ? `There is no admission policy ${name}: ${withoutIt}`
      : `The admission policy ${name} is not the chart's: ${problem}`
  return { status: 'False', reason: `Policy${policy}`, message: `${what}. To fix it, ${INSTALL}.` }
}

/** What the chart's policy must contain. */
export type Wanted = Readonly<{
  rule: Required<Rule>
  /** What the rule is about, in words. */
  things: string
  /** The only condition that it may have, and in words whom it is for. */
  only: Readonly<{ expression: string; who: string }>
  variables: Readonly<Record<string, string>>
  validations: readonly string[]
}>

/** How it is weaker than the chart's; undefined: it is not. */
export function loosenedBy({ spec = {} }: Policy, wanted: Wanted): string | undefined {
  if (spec.failurePolicy !== 'Fail') return 'its failurePolicy is not Fail'
  if (spec.paramKind || !covers(spec.matchConstraints, wanted.rule))
    return `it does not match all ${wanted.things}`
  if (!isOnlyFor(wanted.only.expression, spec.matchConditions))
    return `it does not match all ${wanted.only.who}`
  const altered = Object.entries(wanted.variables).find(
    ([name, expression]) => !isSame(variableOf({ spec }, name), expression),
  )
  if (altered) return `its variable ${altered[0]} is not the chart's`
  const missing = wanted.validations.find(
    (one) => !spec.validations?.some(({ expression }) => isSame(expression, one)),
  )
  return missing === undefined ? undefined : `it lacks the validation ${missing}`
}

export function variableOf({ spec }: Pick<Policy, 'spec'>, name: string): string | undefined {
  return spec?.variables?.find((one) => one.name === name)?.expression
}

export function isSame(one: string | undefined, other: string): boolean {
  return one?.replace(/\s+/g, ' ').trim() === other
}

export function bindingProblem({ spec = {} }: PolicyBinding, name: string): string | undefined {
  if (spec.policyName !== name) return `its binding is for ${spec.policyName}`
  if (!spec.validationActions?.includes('Deny')) return 'its binding does not deny'
  return spec.matchResources && !isUnlimited(spec.matchResources)
    ? 'its binding does not match everything'
    : undefined
}

function covers(constraints: Constraints = {}, wanted: Required<Rule>): boolean {
  const has = (list: readonly string[] | undefined, all: readonly string[]) =>
    list?.includes('*') || all.every((one) => list?.includes(one))
  const isCovered = ({ apiGroups, operations, resources }: Rule) =>
    has(apiGroups, wanted.apiGroups) &&
    has(operations, wanted.operations) &&
    has(resources, wanted.resources)
  return isUnlimited(constraints) && (constraints.resourceRules?.some(isCovered) ?? false)
}

function isUnlimited(constraints: Constraints): boolean {
  const { excludeResourceRules = [], namespaceSelector = {}, objectSelector = {} } = constraints
  const selectors = [namespaceSelector, objectSelector]
  return (
    excludeResourceRules.length === 0 &&
    selectors.every((selector) => Object.keys(selector).length === 0)
  )
}

/** An additional condition would exempt some requests. */
function isOnlyFor(expression: string, conditions: readonly Expression[] = []): boolean {
  return conditions.every((one) => isSame(one.expression, expression))
}
