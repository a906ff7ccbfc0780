import type { ResourceRequestStatus } from '@bourse/contract/kinds'
import { conditionOf } from '@bourse/kube'
import type { ObjectEvent } from '../kubernetes/events.ts'

type Status = ResourceRequestStatus

/** The Kubernetes Events for a change of status. */
export function eventsOf(before: Status | undefined, after: Status): readonly ObjectEvent[] {
  const warning = warningOf(before, after)
  const event = before?.phase === after.phase ? sequelOf(before, after) : turnOf(after)
  return [event, warning].filter((one) => one !== undefined)
}

function turnOf({ phase, reason, message: note = '', expiresAt }: Status): ObjectEvent | undefined {
  switch (phase) {
    case 'Reserved':
      return normal('Reserved', 'Reserve', expiresAt ? `${note} until ${expiresAt}` : note)
    case 'Active':
      return normal('Activated', 'Activate', note)
    case 'Released':
      return normal(reason ?? 'Released', 'Release', note)
    case 'Failed':
      return { type: 'Warning', reason: reason ?? 'Failed', action: 'Reserve', note }
    default:
      return undefined
  }
}

function sequelOf(before: Status | undefined, after: Status): ObjectEvent | undefined {
  const isHeld = after.phase === 'Reserved' || after.phase === 'Active'
  if (!isHeld || before?.expiresAt === after.expiresAt) return undefined
  return normal('Renewed', 'Renew', `Renewed until ${after.expiresAt}`)
}

/** A warning for each new problem, not for every attempt. */
function warningOf(before: Status | undefined, after: Status): ObjectEvent | undefined {
  const type = after.phase === 'Pending' ? 'Reconciling' : 'Renewed'
  const said = conditionOf(after.conditions, type)
  const isNews = said && said.reason !== conditionOf(before?.conditions, type)?.reason
  if (!isNews || said.reason === 'Waiting') return undefined
  const { reason = type, message: note = '' } = said
  return { type: 'Warning', reason, action: type === 'Renewed' ? 'Renew' : 'Reserve', note }
}

function normal(reason: string, action: string, note: string): ObjectEvent {
  return { type: 'Normal', reason, action, note }
}
