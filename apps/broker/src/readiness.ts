import type { AuditReport } from './after-commit/auditor.ts'
import type { Readiness } from './http/index.ts'

type State = Readonly<{
  /** Why nothing can be decided; undefined when all is well. */
  trouble: string | undefined
  audit: AuditReport
  /** Background work that fails: worth knowing, no reason to send callers away. */
  chores: string | undefined
}>

/** Ready means: commands can be decided and made durable. The rest is told beside it. */
export function createReadiness() {
  let look: (() => State) | undefined
  let without = 'starting'

  return { report, follow, leave }

  /** From the moment on when there is something to look at. */
  function follow(state: () => State): void {
    look = state
  }

  /** Callers should go elsewhere while the last ones here are being answered. */
  function leave(): void {
    look = undefined
    without = 'stopping'
  }

  function report(): Readiness {
    if (!look) return { isReady: false, checks: { journal: without } }
    const { trouble, audit, chores } = look()
    return {
      isReady: trouble === undefined,
      checks: {
        journal: trouble ?? 'ok',
        audit: [`${audit.state} at index ${audit.index}`, ...audit.findings].join(' '),
        chores: chores ?? 'ok',
      },
    }
  }
}
