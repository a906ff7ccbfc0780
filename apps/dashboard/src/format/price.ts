/** Small prices keep the digits that differ: €0.0031, €0.031, €0.90, €1,240. */
export function formatPrice(amount: number, currency: string): string {
  if (amount === 0) return 'free'
  const number = amount.toLocaleString('en', precisionOf(amount))
  const symbol = SYMBOLS[currency]
  return symbol === undefined ? `${number} ${currency}` : `${symbol}${number}`
}

/** At most four significant digits; a small price never reads as zero. */
function precisionOf(amount: number): Intl.NumberFormatOptions {
  if (amount < 0.01) return { maximumSignificantDigits: 4 }
  const digits = amount >= 100 ? 0 : amount >= 0.1 ? 2 : 3
  return { minimumFractionDigits: digits, maximumFractionDigits: digits }
}

// Not Intl's own currency style: a federation may count in credits it made up.
const SYMBOLS: Readonly<Record<string, string>> = { EUR: '€', USD: '$', GBP: '£' }
