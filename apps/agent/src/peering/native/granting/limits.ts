import type { KubeObject } from '@bourse/kube'

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
