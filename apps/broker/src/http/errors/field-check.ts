import type { ProblemField } from '@bourse/contract'
import { createFieldCheck as collectFields, fieldSentence } from '../../intake/field-check.ts'
import { BrokerError } from './broker-error.ts'

export { type FieldCheck, memberPath } from '../../intake/field-check.ts'

/** As every door checks fields; over HTTP a body with a bad one is refused whole. */
export function createFieldCheck() {
  const check = collectFields()
  return { ...check, done }

  /** Throws if anything was added. */
  function done(): void {
    if (check.problems.length > 0) throw invalidRequest(check.problems)
  }
}

export function invalidRequest(fields: readonly ProblemField[]): BrokerError {
  return new BrokerError('InvalidRequest', fieldSentence(fields), { fields })
}
