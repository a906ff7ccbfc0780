import { notReady, type Readiness } from '@bourse/daemon/probes'
import type { AuditReport } from './after-commit/auditor.ts'
import type { Standing } from './leadership/stand-by.ts'

type State = Readonly<{
  /** Why nothing can be decided; undefined when all is well. */
  trouble: string | undefined
  audit: AuditReport
  /** That the store is an older copy of its ledger; undefined while nothing says so. */
  rollback: string | undefined
  /** Background work that fails: worth knowing, no reason to send callers away. */
  chores: string | undefined
  /** Transports beside REST: their callers have another way in, so the broker stays ready. */
  transports: readonly Readonly<{ name: string; trouble(): string | undefined }>[]
}>

/**
 * Ready means: commands can be decided and made durable, or, on a broker that stands by, could be
 * from one moment to the next. The rest is told beside it.
 */
export function createReadiness(connections: () => string = () => 'none') {
  let look: (() => State) | undefined
  let standing: (() => Standing) | undefined
  let without = 'starting'

  return { report, follow, leave, standBy }

  function standBy(lookUp: () => Standing): void {
    standing = lookUp
  }

  /** From the moment on when there is something to look at. */
  function follow(state: () => State): void {
    look = state
  }

  /** Callers should go elsewhere while the last ones here are being answered. */
  function leave(): void {
    look = undefined
    standing = undefined
    without = 'stopping'
  }

  /** Connections are always reported: a client that is kept out by them may ask a probe. */
  function report(): Readiness {
    const { checks, ...verdict } = reportOfWork()
    return { ...verdict, checks: { ...checks, connections: connections() } }
  }

  function reportOfWork(): Readiness {
    if (!look) return standing ? standbyReport(standing()) : notReady({ journal: without })
    const { trouble, audit, rollback, chores, transports } = look()
    const carriers = transports.map((transport) => [transport.name, transport.trouble() ?? 'ok'])
    return {
      isReady: trouble === undefined,
      isLeader: trouble === undefined,
      checks: {
        journal: trouble ?? 'ok',
        audit: auditCheck(audit),
        ...(rollback !== undefined && { rollback }),
        chores: chores ?? 'ok',
        ...Object.fromEntries(carriers),
      },
    }
  }
}

/** The count only: findings name clusters, and every client may ask a probe. */
function auditCheck({ state, index, findings }: AuditReport): string {
  const verdict = `${state} at index ${index}`
  if (findings.length === 0) return verdict
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`
  return `${verdict}: ${count}, see bourse audit`
}

function standbyReport({ isWarm, index, leader, trouble }: Standing): Readiness {
  return {
    isReady: isWarm && trouble === undefined,
    isLeader: false,
    checks: {
      journal: trouble ?? (isWarm ? `following at index ${index}` : 'starting'),
      leadership: `standing by: ${leader} leads`,
    },
  }
}
