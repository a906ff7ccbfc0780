import type { Resources } from '@bourse/domain/quantity'

/** What this cluster lends by one reservation. */
export type HeldReservation = Readonly<{
  id: string
  requester: string
  resources: Resources
  /** In the broker's time; absent: until released. */
  expiresAt?: number | undefined
}>
