import type { Condition } from '@bourse/kube'
import type { ObjectEvents } from '../kubernetes/events.ts'
import { ADVERTISEMENT } from '../kubernetes/kinds.ts'
import type { OwnAdvertisement } from './index.ts'

type Ports = Readonly<{
  objectEvents: Pick<ObjectEvents, 'tell'>
  own: Pick<OwnAdvertisement, 'current'>
}>

/** Warns on the object that an operator must annotate. */
export function createLedgerWarning({ objectEvents, own }: Ports) {
  return ({
    type,
    status,
    reason,
    message,
  }: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>) => {
    const object = own.current()
    if (type !== 'LedgerConfirmed' || status !== 'False' || !object) return
    objectEvents.tell(ADVERTISEMENT, object, {
      type: 'Warning',
      reason: reason ?? type,
      action: 'Follow',
      note: message ?? '',
    })
  }
}
