import { CLUSTER_ID_PATTERN } from '@bourse/contract'
import type { ReservationSpec } from '@bourse/contract/kinds'
import type { Command, Reservation, ReserveCommand } from '@bourse/domain/ledger'
import { createFieldCheck, fieldSentence } from '../../intake/field-check.ts'
import {
  countedPriority,
  fingerprintOf,
  nodeTerms,
  type RequestLimits,
  readRequest,
  sortedAmounts,
} from '../../intake/read-request.ts'
import { DOOR } from '../objects/kinds.ts'

type Reading =
  | Readonly<{ kind: 'command'; command: ReserveCommand }>
  | Readonly<{ kind: 'bad'; sentence: string }>

const clusterIdForm = new RegExp(CLUSTER_ID_PATTERN)
/** Between what cannot change and what can, in a fingerprint. */
const THEN = '.'

/** A Reservation as a command: its UID is the request id, so that reading it twice asks once. */
export function toReserveCommand(
  { spec, uid }: Readonly<{ spec: ReservationSpec; uid: string }>,
  limits: RequestLimits,
): Reading {
  const check = createFieldCheck()
  const { terms, askedMs } = readRequest(spec, check, limits)
  if (!clusterIdForm.test(spec.requesterID))
    check.add('requesterID', `${JSON.stringify(spec.requesterID)} is not a valid cluster id`)
  if (check.problems.length > 0) return { kind: 'bad', sentence: fieldSentence(check.problems) }

  // The target is left out: the broker itself fills it in.
  const asked = [sortedAmounts(terms.wanted), terms.priority, ...nodeTerms(terms)]
  const lasting = fingerprintOf(asked)
  const command: ReserveCommand = {
    kind: 'reserve',
    door: DOOR,
    requester: spec.requesterID,
    requestId: uid,
    fingerprint: `${lasting}${THEN}${askedMs ?? ''}`,
    ...terms,
    priority: countedPriority(terms.priority, limits),
  }
  return { kind: 'command', command }
}

/** The command that an edited duration stands for; undefined while it reads as it did. */
export function renewalOf(
  { fingerprint, durationMs }: ReserveCommand,
  { id, fingerprint: before }: Pick<Reservation, 'id' | 'fingerprint'>,
): Command | undefined {
  if (fingerprint === undefined || before === undefined || durationMs === undefined)
    return undefined
  const isEdited = fingerprint !== before && lastingPart(fingerprint) === lastingPart(before)
  return isEdited ? { kind: 'renew', id, durationMs, fingerprint } : undefined
}

function lastingPart(fingerprint: string): string {
  return fingerprint.slice(0, fingerprint.indexOf(THEN))
}
