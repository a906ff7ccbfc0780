/**
 * ```
 *   requester   hello ──────── tenant ────────── tunnel ── ready ── … ── goodbye
 *   provider           nonce ───────── grant, gateway
 * ```
 * `gateway` and `tunnel` only where there is networking.
 */
export const PEERING_STEPS = [
  'hello',
  'nonce',
  'tenant',
  'grant',
  'gateway',
  'tunnel',
  'ready',
  'goodbye',
] as const

type Step = (typeof PEERING_STEPS)[number]

/** Who says what. */
export const PEERING_STEPS_OF: Readonly<Record<'requester' | 'provider', readonly Step[]>> = {
  requester: ['hello', 'tenant', 'tunnel', 'ready', 'goodbye'],
  provider: ['nonce', 'grant', 'gateway'],
}
