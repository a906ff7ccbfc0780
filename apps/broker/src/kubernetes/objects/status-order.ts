type Stamped = Readonly<{ ledgerID?: string | undefined; ledgerIndex?: number | undefined }>

/** Whether what we would write is older than what is there: a lower index never overwrites. */
export function isBehind(wanted: Stamped, shown: Stamped): boolean {
  return wanted.ledgerID === shown.ledgerID && (wanted.ledgerIndex ?? 0) < (shown.ledgerIndex ?? 0)
}
