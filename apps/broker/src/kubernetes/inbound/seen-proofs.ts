import { LEDGER_SEEN_ANNOTATION } from '@bourse/contract/kinds'
import { seenText } from '@bourse/contract/proof'
import type { KubeObject } from '@bourse/kube'
import type { SeenVerdict } from '../../rollback/rollback-guard.ts'

type Ports = Readonly<{
  judge(seen: string): SeenVerdict
  /** A Warning beside the object. */
  tell(object: KubeObject, reason: string, note: string): void
  log: Readonly<{ warn(facts: object, note: string): void }>
  /** By a clock that only runs forward. */
  monotonic(): number
}>
type Stamped = Readonly<{ ledgerID?: string | undefined; ledgerProof?: string | undefined }>

const REASON = 'UnprovenIndex'
/** Every user that may write an object could fill the log: events are paced, lines are few. */
const LOG_EVERY_MS = 10_000

/**
 * Looks at what objects know of the ledger: by a status that a broker wrote, and by what an agent
 * has seen. An older copy of the store does not take agents back, nor objects of an API server
 * that is not the store itself. What proves nothing is told of, and counts for nothing.
 */
export function createSeenProofs({ judge, tell, log, monotonic }: Ports) {
  let loggedAt = Number.NEGATIVE_INFINITY

  return (object: KubeObject<unknown, Stamped>): void => {
    const { ledgerID, ledgerProof } = object.status ?? {}
    if (ledgerID && ledgerProof) look(seenText(ledgerID, ledgerProof), 'status.ledgerProof', object)
    const seen = object.metadata.annotations?.[LEDGER_SEEN_ANNOTATION]
    if (seen !== undefined) look(seen, LEDGER_SEEN_ANNOTATION, object)
  }

  function look(seen: string, where: string, object: KubeObject): void {
    const verdict = judge(seen)
    if (verdict === 'fine') return
    const note = `${where} proves nothing: ${SAID[verdict]}. It is ignored.`
    tell(object, REASON, note)
    if (monotonic() - loggedAt < LOG_EVERY_MS) return
    loggedAt = monotonic()
    const { name, namespace } = object.metadata
    log.warn({ kind: object.kind, namespace, name }, note)
  }
}

const SAID = {
  malformed: 'it is not a value that a broker issues',
  unproven: 'it is beyond the end of this ledger, which never issued it',
} as const
