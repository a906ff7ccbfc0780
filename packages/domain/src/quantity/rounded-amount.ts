import { isBytes, unitOf } from './resource-name.ts'

const STEPS = [
  { suffix: 'Ti', size: 2n ** 40n },
  { suffix: 'Gi', size: 2n ** 30n },
  { suffix: 'Mi', size: 2n ** 20n },
  { suffix: 'Ki', size: 2n ** 10n },
] as const

/** For people: cores with two decimals, bytes in the largest unit that fits. */
export function roundedAmount(name: string, amount: bigint): string {
  if (unitOf(name) === 'milli') return decimals(amount, 1_000n)
  const step = isBytes(name) ? STEPS.find(({ size }) => amount >= size) : undefined
  return step ? `${decimals(amount, step.size)}${step.suffix}` : String(amount)
}

/** Two decimals, rounded down: never shown larger than it is. */
function decimals(amount: bigint, unit: bigint): string {
  const hundredths = (amount * 100n) / unit
  const fraction = String(hundredths % 100n)
    .padStart(2, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(hundredths / 100n) : `${hundredths / 100n}.${fraction}`
}
