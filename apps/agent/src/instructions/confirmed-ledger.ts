import { createSignal } from '@bourse/daemon/signal'
import type { OwnAdvertisement } from '../advertisement/index.ts'
import { CONFIRM_LEDGER_ANNOTATION } from './ledger-standing.ts'

export type ConfirmedLedger = ReturnType<typeof createConfirmedLedger>

/** Which ledger an operator has confirmed, by an annotation on the Advertisement. */
export function createConfirmedLedger(own: Pick<OwnAdvertisement, 'current' | 'subscribe'>) {
  const changed = createSignal()
  let confirmed: string | undefined
  own.subscribe(() => {
    const annotation = own.current()?.metadata.annotations?.[CONFIRM_LEDGER_ANNOTATION] || undefined
    if (annotation === confirmed) return
    confirmed = annotation
    changed.tell()
  })
  return {
    current: (): string | undefined => confirmed,
    subscribe: changed.subscribe,
  }
}
