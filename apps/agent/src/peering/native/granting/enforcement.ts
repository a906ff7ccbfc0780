import { type Clock, ignoring, isNotFound, type KubeClient, type KubeObject } from '@bourse/kube'
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
import { LIQO } from '../liqo/liqo-kinds.ts'
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
    const listed = await ignoring(isNotFound, client.list<LiqoQuota>(LIQO.quota, { signal }))
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

/** How far Liqo holds offloaded pods to their quota; `None`: not at all, or not by what they ask. */
export type Limits = 'Hard' | 'Soft' | 'None' | 'Unknown'

export type Deployment = KubeObject<
  Readonly<{
    template?: Readonly<{
      spec?: Readonly<{
        containers?: readonly Readonly<{ args?: readonly string[]; command?: readonly string[] }>[]
      }>
    }>
  }>
>
export type LiqoQuota = KubeObject<Readonly<{ limitsEnforcement?: string }>>

const LEVELS: readonly Limits[] = ['Hard', 'Soft', 'None']
const LEVEL_FLAG = '--default-limits-enforcement'
const CHECK_FLAG = '--enable-resource-enforcement'

/**
 * Liqo has one level for all; it writes it on every Quota, and reads it from an argument. Another
 * argument of its webhook turns the check of Quotas on or off.
 */
export function limitsIn(found: {
  liqoQuotas: readonly LiqoQuota[]
  controllers: readonly Deployment[]
  webhooks: readonly Deployment[]
}): Limits {
  if (found.webhooks.length > 0 && !found.webhooks.every(checksLiqoQuotas)) return 'None'
  const written = [
    ...found.liqoQuotas.map(({ spec }) => spec?.limitsEnforcement),
    // Without the argument it is none.
    ...found.controllers.map((one) => argumentOf(one, LEVEL_FLAG) ?? 'None'),
  ]
  const levels = written.map(
    (text) => LEVELS.find((level) => level.toLowerCase() === text?.toLowerCase()) ?? 'None',
  )
  // The weakest counts: a Quota of an earlier level is rewritten soon, but until then it holds.
  return levels.sort((one, other) => LEVELS.indexOf(other) - LEVELS.indexOf(one))[0] ?? 'Unknown'
}

function checksLiqoQuotas(webhook: Deployment): boolean {
  const argument = argumentOf(webhook, CHECK_FLAG)
  return argument !== undefined && argument !== 'false'
}

/** `--flag=value`, `--flag value`, or `--flag` alone, which is true. */
function argumentOf({ spec }: Deployment, flag: string): string | undefined {
  const words = spec?.template?.spec?.containers?.flatMap(({ command = [], args = [] }) => [
    ...command,
    ...args,
  ])
  const at = words?.findIndex((word) => word === flag || word.startsWith(`${flag}=`)) ?? -1
  const word = words?.[at]
  if (word === undefined) return undefined
  if (word.startsWith(`${flag}=`)) return word.slice(flag.length + 1)
  const next = words?.[at + 1]
  return next === undefined || next.startsWith('-') ? 'true' : next
}
