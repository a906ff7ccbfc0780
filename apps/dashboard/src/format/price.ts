/** Small prices keep the digits that differ: €0.0031, €0.031, €0.90, €1,240. */
export function formatPrice(amount: number, currency: string): string {
  if (amount === 0) return 'free'
  const digits = amount >= 100 ? 0 : amount >= 0.1 ? 2 : amount >= 0.01 ? 3 : 5
  const number = amount.toLocaleString('en', {
    minimumFractionDigits: Math.min(digits, 3),
    maximumFractionDigits: digits,
  })
  const symbol = SYMBOLS[currency]
  return symbol === undefined ? `${number} ${currency}` : `${symbol}${number}`
}

// Not Intl's own currency style: a federation may count in credits it made up.
const SYMBOLS: Readonly<Record<string, string>> = { EUR: '€', USD: '$', GBP: '£' }
