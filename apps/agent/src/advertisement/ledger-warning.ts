import type { Condition } from '@bourse/kube'
import type { Narrator } from '../kubernetes/events.ts'
import { ADVERTISEMENT } from '../kubernetes/kinds.ts'
import type { OwnAdvertisement } from './index.ts'

type Ports = Readonly<{ narrator: Pick<Narrator, 'tell'>; own: Pick<OwnAdvertisement, 'current'> }>

/** Warns on the object that an operator must annotate: until then, what is held here stays. */
export function createLedgerWarning({ narrator, own }: Ports) {
  return ({
    type,
    status,
    reason,
    message,
  }: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>) => {
    const object = own.current()
    if (type !== 'LedgerConfirmed' || status !== 'False' || !object) return
    narrator.tell(ADVERTISEMENT, object, {
      ...{ type: 'Warning', reason: reason ?? type, action: 'Follow', note: message ?? '' },
    })
  }
}
