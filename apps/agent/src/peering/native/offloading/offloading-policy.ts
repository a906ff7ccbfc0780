import {
  bindingProblem,
  loosenedBy,
  type Policy,
  type PolicyBinding,
  type Wanted,
} from '../admission/admission-policy.ts'

/** The chart's policy and its binding have this name. */
export const POLICY_NAME = 'bourse-offloading'
/** As many as a ResourceRequest may name; each has a validation of its own. */
const NAMESPACES_MAX = 16
const MAY = "authorizer.group('liqo.io').resource('resourcerequests')"

const WANTED: Wanted = {
  rule: { apiGroups: ['liqo.io'], operations: ['CREATE'], resources: ['resourcerequests'] },
  things: 'ResourceRequests',
  only: { expression: 'has(object.spec.offload)', who: 'requests that offload' },
  variables: {
    names: 'has(object.spec.offload.namespaces) ? object.spec.offload.namespaces : []',
  },
  validations: [
    `!has(object.spec.offload.selector) || ${MAY}.check('offload').allowed()`,
    ...Array.from(
      { length: NAMESPACES_MAX },
      (_, nth) =>
        `size(variables.names) <= ${nth} || ` +
        `${MAY}.namespace(variables.names[${nth}]) .check('offload').allowed()`,
    ),
  ],
}

/** What it lets pass that the chart's does not; undefined: nothing. */
export function offloadingPolicyProblem(
  policy: Policy,
  binding: PolicyBinding,
): string | undefined {
  return loosenedBy(policy, WANTED) ?? bindingProblem(binding, POLICY_NAME)
}
