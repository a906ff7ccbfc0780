import type { Kind, KubeObject } from '@bourse/kube'

/** The chart's policy and its binding have this name. */
export const POLICY_NAME = 'bourse-slices'
export const POLICY = admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies')
export const POLICY_BINDING = admission(
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

const PEERS = "'liqo.io' in request.userInfo.groups"
const VARIABLES: Readonly<Record<string, string>> = {
  isStatus: "has(request.subResource) && request.subResource == 'status'",
  sliceClass: "has(object.spec) && has(object.spec.class) ? object.spec.class : ''",
  labels: 'has(object.metadata.labels) ? object.metadata.labels : {}',
  annotations: 'has(object.metadata.annotations) ? object.metadata.annotations : {}',
}
const VALIDATIONS: readonly string[] = [
  '!variables.isStatus',
  'variables.isStatus || variables.sliceClass in variables.classes',
  "variables.isStatus || request.operation == 'CREATE' || (variables.labels == " +
    '(has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}) && variables.annotations ' +
    '== (has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}))',
  "variables.isStatus || request.operation != 'CREATE' || ('liqo.io/replicated' in " +
    "variables.labels && variables.labels['liqo.io/replicated'] == 'true')",
]

/**
 * How the policy that is there differs from the chart's in what it keeps peers from; undefined: it
 * keeps them from all of it. Somebody may have loosened it a little, which nobody would notice.
 */
export function policyProblem(
  { spec = {} }: Policy,
  binding: PolicyBinding,
  sliceClass: string,
): string | undefined {
  if (spec.failurePolicy !== 'Fail') return 'its failurePolicy is not Fail'
  if (spec.paramKind || !coversSlices(spec.matchConstraints)) return 'it does not match all slices'
  if (!isOnlyFor(PEERS, spec.matchConditions)) return 'it does not match all peers'
  const altered = Object.entries(VARIABLES).find(
    ([name, expression]) => !isSame(find(spec.variables, name)?.expression, expression),
  )
  if (altered) return `its variable ${altered[0]} is not the chart's`
  const missing = VALIDATIONS.find(
    (one) => !spec.validations?.some(({ expression }) => isSame(expression, one)),
  )
  if (missing !== undefined) return `it lacks the validation ${missing}`
  const classes = find(spec.variables, 'classes')?.expression ?? ''
  if (!isSame(classes.replaceAll("'", '"'), JSON.stringify([sliceClass])))
    return `it allows the classes ${classes}, and only ${sliceClass} is bound to reservations`
  return bindingProblem(binding)
}

function bindingProblem({ spec = {} }: PolicyBinding): string | undefined {
  if (spec.policyName !== POLICY_NAME) return `its binding is for ${spec.policyName}`
  if (!spec.validationActions?.includes('Deny')) return 'its binding does not deny'
  return spec.matchResources && !isUnlimited(spec.matchResources)
    ? 'its binding does not match everything'
    : undefined
}

function coversSlices(constraints: Constraints = {}): boolean {
  const has = (list: readonly string[] | undefined, one: string) =>
    list?.includes(one) || list?.includes('*')
  const covers = ({ apiGroups, operations, resources }: Rule) =>
    has(apiGroups, 'authentication.liqo.io') &&
    ['CREATE', 'UPDATE'].every((one) => has(operations, one)) &&
    ['resourceslices', 'resourceslices/status'].every((one) => has(resources, one))
  return isUnlimited(constraints) && (constraints.resourceRules?.some(covers) ?? false)
}

function isUnlimited(constraints: Constraints): boolean {
  const { excludeResourceRules = [], namespaceSelector = {}, objectSelector = {} } = constraints
  const selectors = [namespaceSelector, objectSelector]
  return (
    excludeResourceRules.length === 0 &&
    selectors.every((selector) => Object.keys(selector).length === 0)
  )
}

/** Any condition more would leave somebody out. */
function isOnlyFor(expression: string, conditions: readonly Expression[] = []): boolean {
  return conditions.every((one) => isSame(one.expression, expression))
}

function find(list: readonly Expression[] | undefined, name: string): Expression | undefined {
  return list?.find((one) => one.name === name)
}

function isSame(one: string | undefined, other: string): boolean {
  return one?.replace(/\s+/g, ' ').trim() === other
}
