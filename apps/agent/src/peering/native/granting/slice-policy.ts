import {
  bindingProblem,
  isSame,
  loosenedBy,
  type Policy,
  type PolicyBinding,
  variableOf,
  type Wanted,
} from '../admission/admission-policy.ts'

/** The chart's policy and its binding have this name. */
export const POLICY_NAME = 'bourse-slices'

const WANTED: Wanted = {
  rule: {
    apiGroups: ['authentication.liqo.io'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['resourceslices', 'resourceslices/status'],
  },
  things: 'slices',
  only: { expression: "'liqo.io' in request.userInfo.groups", who: 'peers' },
  variables: {
    isStatus: "has(request.subResource) && request.subResource == 'status'",
    sliceClass: "has(object.spec) && has(object.spec.class) ? object.spec.class : ''",
    labels: 'has(object.metadata.labels) ? object.metadata.labels : {}',
    annotations: 'has(object.metadata.annotations) ? object.metadata.annotations : {}',
    cluster:
      "has(namespaceObject.metadata.labels) && 'liqo.io/remote-cluster-id' in " +
      "namespaceObject.metadata.labels ? namespaceObject.metadata.labels['liqo.io/remote-cluster-id'] : ''",
    consumer:
      "has(object.spec) && has(object.spec.consumerClusterID) ? object.spec.consumerClusterID : ''",
    csr: "has(object.spec) && has(object.spec.csr) ? string(object.spec.csr) : ''",
    names: 'size(object.metadata.name) + 13 + size(variables.consumer) + 22',
    wanted: 'variables.names + (variables.names < 128 ? 2 : 3) + 49',
    request:
      'variables.wanted + (variables.wanted < 128 ? 2 : variables.wanted < 256 ? 3 : 4) + 74',
    base64:
      '(variables.request + (variables.request < 128 ? 2 : variables.request < 256 ? 3 : 4) + 2) / 3 * 4',
    pem: '36 + variables.base64 + (variables.base64 + 63) / 64 + 34',
  },
  validations: [
    '!variables.isStatus',
    'variables.isStatus || variables.sliceClass in variables.classes',
    "variables.isStatus || request.operation == 'CREATE' || (variables.labels == " +
      '(has(oldObject.metadata.labels) ? oldObject.metadata.labels : {}) && variables.annotations ' +
      '== (has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}))',
    "variables.isStatus || request.operation != 'CREATE' || ('liqo.io/replicated' in " +
      "variables.labels && variables.labels['liqo.io/replicated'] == 'true')",
    "variables.isStatus || variables.consumer in ['', variables.cluster]",
    "variables.isStatus || variables.csr == '' || (size(variables.csr) <= (variables.pem + 2) / 3 * 4 " +
      `&& variables.csr.startsWith('${btoa('-----BEGIN CERTIFICATE REQUEST---')}'))`,
  ],
}

/**
 * How the installed policy is weaker than the chart's; undefined: it is not. A user may have
 * weakened it a little, which would go unnoticed.
 */
export function policyProblem(
  policy: Policy,
  binding: PolicyBinding,
  sliceClass: string,
): string | undefined {
  const loosened = loosenedBy(policy, WANTED)
  if (loosened !== undefined) return loosened
  const classes = variableOf(policy, 'classes') ?? ''
  if (!isSame(classes.replaceAll("'", '"'), JSON.stringify([sliceClass])))
    return `it allows the classes ${classes}, and only ${sliceClass} is bound to reservations`
  return bindingProblem(binding, POLICY_NAME)
}
