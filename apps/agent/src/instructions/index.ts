export { type ConfirmedLedger, createConfirmedLedger } from './confirmed-ledger.ts'
export {
  foremostStanding,
  type LedgerStanding,
  ledgerCondition,
} from './ledger-standing.ts'
