import type { ProblemField } from '@bourse/contract'
import { createFieldCheck as collectFields, fieldSentence } from '../../intake/field-check.ts'
import { BrokerError } from './broker-error.ts'

export { type FieldCheck, memberPath } from '../../intake/field-check.ts'

/** The checks of every interface; over HTTP one bad field refuses the whole body. */
export function createFieldCheck() {
  const check = collectFields()
  return { ...check, index, done }

  /** An index of the ledger. Number alone would also read '', '1e3' and '0x10'. */
  function index(path: string, written: string | undefined): number | undefined {
    if (written === undefined) return undefined
    const read = Number(written)
    if (/^\d+$/.test(written) && Number.isSafeInteger(read)) return read
    check.add(path, `'${written}' is not an index: use the Bourse-Index of an answer`)
    return undefined
  }

  /** Throws if anything was added. */
  function done(): void {
    if (check.problems.length > 0) throw invalidRequest(check.problems)
  }
}

export function invalidRequest(fields: readonly ProblemField[]): BrokerError {
  return new BrokerError('InvalidRequest', fieldSentence(fields), { fields })
}
