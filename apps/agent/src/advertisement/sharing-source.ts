import { createSignal } from '@bourse/daemon/signal'
import { isSameJson } from '@bourse/kube'
import { type SharingLimits, sharingInForce } from '../capacity/index.ts'
import type { OwnAdvertisement } from './own-advertisement.ts'

/** The current sharing limits, from the flags and from the Advertisement. */
export function createSharingSource(
  own: Pick<OwnAdvertisement, 'current' | 'subscribe'>,
  flags: SharingLimits,
) {
  const changed = createSignal()
  let written = own.current()?.spec?.sharing
  let inForce = sharingInForce(written, flags)
  own.subscribe(() => {
    const next = own.current()?.spec?.sharing
    if (isSameJson(next, written)) return
    written = next
    inForce = sharingInForce(written, flags)
    changed.tell()
  })
  return {
    limits: () => inForce.limits,
    condition: () => inForce.condition,
    trouble: () => (inForce.condition.status === 'False' ? inForce.condition.message : undefined),
    subscribe: changed.subscribe,
  }
}
