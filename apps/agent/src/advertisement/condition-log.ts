import type { ObjectEvents } from '../kubernetes/events.ts'
import { ADVERTISEMENT, type StatedCondition } from '../kubernetes/kinds.ts'
import type { Log } from '../runtime/log.ts'
import type { OwnAdvertisement } from './index.ts'

/** Logs a condition each time its message changes. */
export function createConditionLog(
  log: Pick<Log, 'info' | 'warn'>,
  onNews?: (condition: StatedCondition) => void,
) {
  const last = new Map<string, string | undefined>()

  return function tell(
    condition: StatedCondition,
    facts: Readonly<Record<string, unknown>> = {},
  ): void {
    const { type, status, reason, message = '' } = condition
    if (last.get(type) === message) return
    last.set(type, message)
    const say = status === 'False' ? log.warn : log.info
    say({ ...facts, condition: type, reason }, message)
    onNews?.(condition)
  }
}

type Ports = Readonly<{
  objectEvents: Pick<ObjectEvents, 'tell'>
  own: Pick<OwnAdvertisement, 'current'>
}>

/** Warns on the object that an operator must annotate. */
export function createLedgerWarning({ objectEvents, own }: Ports) {
  return ({ type, status, reason = type, message: note = '' }: StatedCondition) => {
    const object = own.current()
    if (type !== 'LedgerConfirmed' || status !== 'False' || !object) return
    objectEvents.tell(ADVERTISEMENT, object, { type: 'Warning', reason, action: 'Follow', note })
  }
}
