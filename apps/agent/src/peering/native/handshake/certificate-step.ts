import { X509Certificate } from 'node:crypto'
import { reached, type Step, waiting } from '../../port/peering.ts'
import type { AuthParams } from '../liqo/liqo-tenant.ts'
import type { PairState } from './pair-state.ts'

const TYPE = 'IdentityReady'
const ACCESS = "Liqo has access to the provider's cluster"
/** Liqo renews after two thirds of a certificate's life: now it is late. */
const LATE_SHARE = 3 / 4
/** A timer cannot be set for longer than some weeks. */
const AGAIN_MS_MAX = 24 * 3_600_000
const MEND =
  'Liqo 1.2 renews it by itself. If it does not, upgrade it in both clusters, or delete our Tenant ' +
  "in the provider's: the agents then repeat the handshake"

type Certified = Readonly<{ step: Step }> & Pick<PairState, 'againAfterMs'>

/** How long this cluster may go on logging in at the provider's, and when to look at that again. */
export function certificateStep(params: AuthParams | undefined, now: number): Certified {
  const life = lifeOf(params)
  if (!life) return { step: reached(TYPE, 'Certified', ACCESS) }
  const { beginsAt, endsAt } = life
  const day = new Date(endsAt).toISOString().slice(0, 10)
  const lateAt = beginsAt + (endsAt - beginsAt) * LATE_SHARE
  const again = (at: number) => ({ againAfterMs: Math.min(AGAIN_MS_MAX, at - now) })
  if (now < lateAt)
    return { step: reached(TYPE, 'Certified', `${ACCESS} until ${day}`), ...again(lateAt) }
  if (now < endsAt) {
    const message = `${ACCESS}, but only until ${day}, and a new certificate is overdue. ${MEND}`
    return { step: reached(TYPE, 'CertificateEnding', message), ...again(endsAt) }
  }
  const message = `The certificate for the provider's cluster expired on ${day}. ${MEND}`
  return { step: waiting(TYPE, 'CertificateExpired', message) }
}

function lifeOf({ signedCRT }: AuthParams = {}) {
  const pem = Buffer.from(signedCRT ?? '', 'base64').toString()
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) return undefined
  const { validFromDate, validToDate } = new X509Certificate(pem)
  return { beginsAt: validFromDate.getTime(), endsAt: validToDate.getTime() }
}
