import { type Clock, ignoring, isNotFound, type KubeClient } from '@bourse/kube'
import { DEPLOYMENT } from '../../../kubernetes/kinds.ts'
import type { Step } from '../../port/peering.ts'
import {
  type FoundPolicy,
  findPolicy,
  type Policy,
  type PolicyBinding,
  policyComplaint,
} from '../admission/admission-policy.ts'
import { createStandingLook } from '../admission/standing-look.ts'
import { LIQO_QUOTA } from '../liqo/liqo-kinds.ts'
import { type Deployment, type Limits, type LiqoQuota, limitsIn } from './limits.ts'
import { POLICY_NAME, policyProblem } from './slice-policy.ts'

export type Enforcement = ReturnType<typeof createEnforcement>

type Ports = Readonly<{
  client: Pick<KubeClient, 'get' | 'list'>
  clock: Pick<Clock, 'sleep'>
  sliceClass: string
}>
type Found = FoundPolicy & Readonly<{ enforcement: Limits }>

/** Checks whether this cluster can enforce its reservations. */
export function createEnforcement({ client, clock, sliceClass }: Ports) {
  const problemOf = (policy: Policy, binding: PolicyBinding) =>
    policyProblem(policy, binding, sliceClass)
  const { found, ...standing } = createStandingLook<Found>({ look, type: 'Enforced', judge, clock })
  return {
    ...standing,
    /** What other clusters may know; undefined before the first check. */
    facts() {
      const { enforcement, policy } = found() ?? {}
      return enforcement && policy && { enforcement, policy }
    },
  }

  async function look(signal: AbortSignal): Promise<Found> {
    const named = (name: string) =>
      client.list<Deployment>(DEPLOYMENT, {
        labelSelector: `app.kubernetes.io/name=${name},app.kubernetes.io/part-of=liqo`,
        signal,
      })
    const [policy, liqoQuotas, controllers, webhooks] = await Promise.all([
      findPolicy(client, POLICY_NAME, problemOf, signal),
      listIfServed(signal),
      named('controller-manager'),
      named('webhook'),
    ])
    const running = { controllers: controllers.items, webhooks: webhooks.items }
    return { ...policy, enforcement: limitsIn({ liqoQuotas, ...running }) }
  }

  /** Without Liqo the kind is not served. */
  async function listIfServed(signal: AbortSignal): Promise<readonly LiqoQuota[]> {
    const listed = await ignoring(isNotFound, client.list<LiqoQuota>(LIQO_QUOTA, { signal }))
    return listed?.items ?? []
  }
}

function judge(found: Found): Judged {
  return policyComplaint(found, POLICY_NAME, WITHOUT_IT) ?? LIMITS[found.enforcement]
}

type Judged = Omit<Step, 'type'>

const WITHOUT_IT = 'a peer can grant itself more than is reserved'
const LIMITS: Readonly<Record<Limits, Judged>> = {
  None: {
    status: 'False',
    reason: 'NoLimits',
    message:
      'Liqo does not limit pods to their quota: set ' +
      "controllerManager.config.defaultLimitsEnforcement to Hard in Liqo's chart, and leave " +
      'enableResourceEnforcement on.',
  },
  Unknown: {
    status: 'Unknown',
    reason: 'LimitsUnknown',
    message: "Liqo's controller was not found in this cluster.",
  },
  Soft: {
    status: 'True',
    reason: 'SoftLimits',
    message: 'Pods are limited by what they request, not by what they use.',
  },
  Hard: { status: 'True', reason: 'HardLimits', message: 'Pods are limited to their quota.' },
}
