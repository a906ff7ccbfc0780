import type { Clock, KubeClient } from '@bourse/kube'
import {
  bindingProblem,
  type FoundPolicy,
  findPolicy,
  loosenedBy,
  type Policy,
  type PolicyBinding,
  policyComplaint,
  type Wanted,
} from '../admission/admission-policy.ts'
import { createStandingLook } from '../admission/standing-look.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'get'>
  clock: Pick<Clock, 'sleep'>
}>

/** Checks that users can offload only namespaces for which they have the right. */
export function createOffloadingGuard({ client, clock }: Ports) {
  return createStandingLook<FoundPolicy>({
    type: 'OffloadingGuarded',
    judge: (found) => policyComplaint(found, POLICY_NAME, WITHOUT_IT) ?? IN_FORCE,
    clock,
    look: (signal) => findPolicy(client, POLICY_NAME, offloadingPolicyProblem, signal),
  })
}

const WITHOUT_IT = 'every user who may create a ResourceRequest can offload any namespace'
const IN_FORCE = {
  status: 'True',
  reason: 'InForce',
  message: 'ResourceRequests can only name namespaces that their author may offload.',
} as const

/** The chart's policy and its binding have this name. */
const POLICY_NAME = 'bourse-offloading'
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
