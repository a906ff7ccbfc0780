import { type Clock, ignoring, isNotFound, type Kind, type KubeClient } from '@bourse/kube'
import type { Step } from '../../port/peering.ts'
import {
  type FoundPolicy,
  findPolicy,
  INSTALL,
  type Policy,
  type PolicyBinding,
  type PolicyStanding,
} from '../admission/admission-policy.ts'
import { createStandingLook, type StandingLook } from '../admission/standing-look.ts'
import { LIQO_QUOTA } from '../liqo/liqo-kinds.ts'
import { type Deployment, type Limits, type LiqoQuota, limitsIn } from './limits.ts'
import { POLICY_NAME, policyProblem } from './slice-policy.ts'

/** What other clusters may know: whether this cluster limits each borrower to its reservation. */
export type EnforcementFacts = Readonly<{ enforcement: Limits; policy: PolicyStanding }>

export type Enforcement = Omit<StandingLook<unknown>, 'found'> &
  Readonly<{
    /** Undefined before the first check. */
    facts(): EnforcementFacts | undefined
  }>

type Ports = Readonly<{
  client: Pick<KubeClient, 'get' | 'list'>
  clock: Pick<Clock, 'sleep'>
  sliceClass: string
}>
type Found = FoundPolicy & Readonly<{ enforcement: Limits }>

const DEPLOYMENT: Kind = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}

/** Checks whether this cluster can enforce its reservations. */
export function createEnforcement({ client, clock, sliceClass }: Ports): Enforcement {
  const problemOf = (policy: Policy, binding: PolicyBinding) =>
    policyProblem(policy, binding, sliceClass)
  const { found, ...standing } = createStandingLook<Found>({ look, type: 'Enforced', judge, clock })
  return {
    ...standing,
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

type Judged = Omit<Step, 'type'>

function judge({ policy, problem, enforcement }: Found): Judged {
  switch (policy) {
    case 'Missing':
      return said(
        'False',
        'PolicyMissing',
        `There is no admission policy ${POLICY_NAME}: a peer can grant itself more than is reserved. To fix it, ${INSTALL}.`,
      )
    case 'Altered':
      return said(
        'False',
        'PolicyAltered',
        `The admission policy ${POLICY_NAME} is not the chart's: ${problem}. To fix it, ${INSTALL}.`,
      )
    case 'InForce':
      return judgeLimits(enforcement)
  }
}

function said(status: Step['status'], reason: string, message: string): Judged {
  return { status, reason, message }
}

function judgeLimits(limits: Limits): Judged {
  switch (limits) {
    case 'None':
      return said(
        'False',
        'NoLimits',
        "Liqo does not limit pods to their quota: set controllerManager.config.defaultLimitsEnforcement to Hard in Liqo's chart, and leave enableResourceEnforcement on.",
      )
    case 'Unknown':
      return said('Unknown', 'LimitsUnknown', "Liqo's controller is not to be seen here.")
    case 'Soft':
      return said(
        'True',
        'SoftLimits',
        'Pods are limited by what they request, not by what they use.',
      )
    case 'Hard':
      return said('True', 'HardLimits', 'Pods are limited to their quota.')
  }
}
