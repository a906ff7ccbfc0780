import type { Clock, KubeClient } from '@bourse/kube'
import type { Step } from '../../port/peering.ts'
import { type FoundPolicy, findPolicy, INSTALL } from '../admission/admission-policy.ts'
import { createStandingLook, type StandingLook } from '../admission/standing-look.ts'
import { offloadingPolicyProblem, POLICY_NAME } from './offloading-policy.ts'

export type OffloadingGuard = Omit<StandingLook<FoundPolicy>, 'found'>

type Ports = Readonly<{
  client: Pick<KubeClient, 'get'>
  clock: Pick<Clock, 'sleep'>
}>

/** Checks that users can offload only namespaces for which they have the right. */
export function createOffloadingGuard({ client, clock }: Ports): OffloadingGuard {
  return createStandingLook({
    type: 'OffloadingGuarded',
    judge,
    clock,
    look: (signal) => findPolicy(client, POLICY_NAME, offloadingPolicyProblem, signal),
  })
}

const WHO = 'every user who may create a ResourceRequest can offload any namespace'

function judge({ policy, problem }: FoundPolicy): Omit<Step, 'type'> {
  switch (policy) {
    case 'Missing':
      return {
        status: 'False',
        reason: 'PolicyMissing',
        message: `There is no admission policy ${POLICY_NAME}: ${WHO}. To fix it, ${INSTALL}.`,
      }
    case 'Altered':
      return {
        status: 'False',
        reason: 'PolicyAltered',
        message: `The admission policy ${POLICY_NAME} is not the chart's: ${problem}. To fix it, ${INSTALL}.`,
      }
    case 'InForce':
      return {
        status: 'True',
        reason: 'InForce',
        message: 'ResourceRequests can only name namespaces that their author may offload.',
      }
  }
}
