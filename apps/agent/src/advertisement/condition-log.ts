import type { Condition } from '@bourse/kube'
import type { Log } from '../runtime/log.ts'

type Told = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Logs a condition each time its message changes. */
export function createConditionLog(log: Pick<Log, 'info' | 'warn'>, onNews?: (told: Told) => void) {
  const last = new Map<string, string | undefined>()

  return function tell(condition: Told, facts: Readonly<Record<string, unknown>>): void {
    const { type, status, reason, message = '' } = condition
    if (last.get(type) === message) return
    last.set(type, message)
    const say = status === 'False' ? log.warn : log.info
    say({ ...facts, condition: type, reason }, message)
    onNews?.(condition)
  }
}
