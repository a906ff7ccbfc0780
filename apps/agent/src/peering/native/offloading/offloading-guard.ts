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

/** Whether people of this cluster can send only such namespaces away as they may. */
export function createOffloadingGuard({ client, clock }: Ports): OffloadingGuard {
  return createStandingLook({
    ...{ type: 'OffloadingGuarded', judge, clock },
    look: (signal) => findPolicy(client, POLICY_NAME, offloadingPolicyProblem, signal),
  })
}

const WHO = 'whoever may make a ResourceRequest may send any namespace to another cluster'

function judge({ policy, problem }: FoundPolicy): Omit<Step, 'type'> {
  switch (policy) {
    case 'Missing':
      return {
        ...{ status: 'False', reason: 'PolicyMissing' },
        message: `There is no admission policy ${POLICY_NAME}: ${WHO}. To mend it, ${INSTALL}.`,
      }
    case 'Altered':
      return {
        ...{ status: 'False', reason: 'PolicyAltered' },
        message: `The admission policy ${POLICY_NAME} is not the chart's: ${problem}. To mend it, ${INSTALL}.`,
      }
    case 'InForce':
      return {
        ...{ status: 'True', reason: 'InForce' },
        message: 'ResourceRequests name only namespaces that who asks may offload.',
      }
  }
}
