import type { OwnAdvertisement } from '../advertisement/index.ts'
import { CONFIRM_LEDGER_ANNOTATION } from './ledger-standing.ts'

export type ConfirmedLedger = ReturnType<typeof createConfirmedLedger>

/** Which ledger an operator has confirmed, by an annotation on the Advertisement. */
export function createConfirmedLedger(own: Pick<OwnAdvertisement, 'current' | 'subscribe'>) {
  const listeners = new Set<() => void>()
  let confirmed: string | undefined
  own.subscribe(() => {
    const annotation = own.current()?.metadata.annotations?.[CONFIRM_LEDGER_ANNOTATION] || undefined
    if (annotation === confirmed) return
    confirmed = annotation
    for (const listener of listeners) listener()
  })
  return {
    current: (): string | undefined => confirmed,
    subscribe(listener: () => void): void {
      listeners.add(listener)
    },
  }
}
