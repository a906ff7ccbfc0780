export {
  type ConfirmedLedger,
  createConfirmedLedger,
  foremostStanding,
  type LedgerStanding,
  ledgerCondition,
} from './ledger-standing.ts'
