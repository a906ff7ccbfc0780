import type { Reservation, ReserveCommand } from '@bourse/domain/ledger'
import type { RateLimit } from '../../fair-share/index.ts'
import type { NoteOf } from '../../presentation/provider-notes.ts'
import type { Caller } from './caller.ts'
import type { Probing } from './probing.ts'

/** A reservation that is released sooner was probably a trial. */
const TRIAL_MS = 60_000

type Ports = Readonly<{
  rate: Pick<RateLimit, 'charge'>
  probing: Pick<Probing, 'tried'>
  noteOf: NoteOf
  /** The broker's time. */
  now(): number
}>

export type TrialCharge = ReturnType<typeof createTrialCharge>

/**
 * A reservation is decided on exact amounts, so a series of refusals or of immediate releases can
 * measure what a cluster has free. Each further amount therefore costs more.
 */
export function createTrialCharge({ rate, probing, noteOf, now }: Ports) {
  return {
    refused({ pinned, wanted }: ReserveCommand, caller: Caller): void {
      charge(caller, pinned, wanted)
    },
    released({ createdAt, legs }: Reservation, caller: Caller): void {
      if (now() - createdAt >= TRIAL_MS) return
      for (const { clusterId, resources } of legs) charge(caller, clusterId, resources)
    },
  }

  function charge(caller: Caller, target: string | undefined, wanted: Reservation['wanted']): void {
    if (caller.isOperator || (target !== undefined && noteOf(target).showsNumbers)) return
    const surchargeMs = probing.tried({ caller: caller.id, target, wanted })
    if (surchargeMs > 0) rate.charge(caller.id, surchargeMs)
  }
}
