import { isNotFound, type Kind, type KubeClient, type Patience, pause } from '@bourse/kube'
import type { Step } from '../../peering.ts'
import { QUOTA } from '../liqo-kinds.ts'
import { type Deployment, type Limits, limitsIn, type Quota } from './limits.ts'
import {
  POLICY,
  POLICY_BINDING,
  POLICY_NAME,
  type Policy,
  type PolicyBinding,
  policyProblem,
} from './slice-policy.ts'

/** What other clusters may know: whether a promise of this cluster binds its other guests. */
export type EnforcementFacts = Readonly<{
  enforcement: Limits
  policy: 'InForce' | 'Altered' | 'Missing'
}>

export type Enforcement = Readonly<{
  /** Undefined before the first look. */
  facts(): EnforcementFacts | undefined
  condition(): Step
  /** Told after each change. */
  subscribe(listener: () => void): () => void
  start(): void
  stop(): Promise<void>
}>

type Ports = Readonly<{
  client: Pick<KubeClient, 'get' | 'list'>
  patience: Pick<Patience, 'sleep'>
  sliceClass: string
}>
type Found = EnforcementFacts & Readonly<{ problem?: string | undefined }>

/** Policies are changed by hand, if at all; whoever mends one wants to see that soon. */
const LOOK_AGAIN_MS = 300_000
const MENDED_AGAIN_MS = 15_000
const DEPLOYMENT: Kind = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
}

/** Looks now and then whether this cluster can keep what it promises, and says so if it cannot. */
export function createEnforcement(ports: Ports): Enforcement {
  const { client, patience } = ports
  const listeners = new Set<() => void>()
  const stopping = new AbortController()
  let found: Found | undefined
  let trouble: string | undefined
  let watching: Promise<void> = Promise.resolve()

  return {
    facts: () => found && { enforcement: found.enforcement, policy: found.policy },
    condition: () => conditionOf(found, trouble),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start() {
      watching = watch()
    },
    async stop() {
      stopping.abort()
      await watching
    },
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const before = JSON.stringify(conditionOf(found, trouble))
      await look().then(
        (now) => {
          found = now
          trouble = undefined
        },
        (thrown: Error) => {
          trouble = thrown.message
        },
      )
      const after = conditionOf(found, trouble)
      if (JSON.stringify(after) !== before) for (const listener of listeners) listener()
      const isFine = after.status === 'True'
      await pause(patience, isFine ? LOOK_AGAIN_MS : MENDED_AGAIN_MS, stopping.signal)
    }
  }

  async function look(): Promise<Found> {
    const { signal } = stopping
    const [policy, binding] = await Promise.all([
      getIfThere<Policy>(POLICY),
      getIfThere<PolicyBinding>(POLICY_BINDING),
    ])
    const named = (name: string) =>
      client.list<Deployment>(DEPLOYMENT, {
        labelSelector: `app.kubernetes.io/name=${name},app.kubernetes.io/part-of=liqo`,
        signal,
      })
    const [quotas, controllers, webhooks] = await Promise.all([
      listIfServed(),
      named('controller-manager'),
      named('webhook'),
    ])
    const enforcement = limitsIn({
      quotas,
      controllers: controllers.items,
      webhooks: webhooks.items,
    })
    if (!policy || !binding) return { enforcement, policy: 'Missing' }
    const problem = policyProblem(policy, binding, ports.sliceClass)
    return { enforcement, policy: problem === undefined ? 'InForce' : 'Altered', problem }
  }

  function getIfThere<T extends Policy | PolicyBinding>(kind: Kind): Promise<T | undefined> {
    const { signal } = stopping
    return client.get<T>(kind, POLICY_NAME, undefined, { signal }).then(undefined, undefinedIfGone)
  }

  /** Without Liqo there is no such kind. */
  async function listIfServed(): Promise<readonly Quota[]> {
    const { signal } = stopping
    const listed = await client.list<Quota>(QUOTA, { signal }).then(undefined, undefinedIfGone)
    return listed?.items ?? []
  }
}

function undefinedIfGone(thrown: unknown): undefined {
  if (!isNotFound(thrown)) throw thrown
}

const INSTALL = `apply the chart with admission.enabled, or config/agent-admission`

function conditionOf(found: Found | undefined, trouble: string | undefined): Step {
  const said = (status: Step['status'], reason: string, message: string): Step => ({
    type: 'Enforced',
    status,
    reason,
    message,
  })
  if (trouble !== undefined) return said('Unknown', 'NotReadable', `Not known: ${trouble}`)
  if (!found) return said('Unknown', 'NotLookedYet', 'Not looked at yet.')
  if (found.policy === 'Missing')
    return said(
      'False',
      'PolicyMissing',
      `There is no admission policy ${POLICY_NAME}: a peer can grant itself more than is reserved. To mend it, ${INSTALL}.`,
    )
  if (found.policy === 'Altered')
    return said(
      'False',
      'PolicyAltered',
      `The admission policy ${POLICY_NAME} is not the chart's: ${found.problem}. To mend it, ${INSTALL}.`,
    )
  return limitsCondition(found.enforcement, said)
}

function limitsCondition(
  limits: Limits,
  said: (status: Step['status'], reason: string, message: string) => Step,
): Step {
  switch (limits) {
    case 'None':
      return said(
        'False',
        'NoLimits',
        "Liqo does not hold pods to their quota: set controllerManager.config.defaultLimitsEnforcement to Hard in Liqo's chart, and leave enableResourceEnforcement on.",
      )
    case 'Unknown':
      return said('Unknown', 'LimitsUnknown', "Liqo's controller is not to be seen here.")
    case 'Soft':
      return said('True', 'SoftLimits', 'Pods are held to what they request, not to what they use.')
    case 'Hard':
      return said('True', 'HardLimits', 'Pods are held to their quota.')
  }
}
