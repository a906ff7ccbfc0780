/** An exact number. `under` is above 0. */
export type Fraction = Readonly<{ over: bigint; under: bigint }>

export const ZERO: Fraction = { over: 0n, under: 1n }

export function fraction(over: bigint, under = 1n): Fraction {
  return { over, under }
}

export function plus(left: Fraction, right: Fraction): Fraction {
  if (left.under === right.under) return { over: left.over + right.over, under: left.under }
  return {
    over: left.over * right.under + right.over * left.under,
    under: left.under * right.under,
  }
}

export function times({ over, under }: Fraction, factor: bigint): Fraction {
  return { over: over * factor, under }
}

export function shareOf({ over, under }: Fraction, parts: bigint): Fraction {
  return { over, under: under * parts }
}

/** Below 0, 0 or above 0, as `left` is less, equal or more. */
export function compare(left: Fraction, right: Fraction): number {
  const difference = left.over * right.under - right.over * left.under
  return difference < 0n ? -1 : Number(difference > 0n)
}

/** Whether they differ by less than 1/2^31: closer than doubles are compared. */
export function isNear(left: Fraction, right: Fraction): boolean {
  const difference = left.over * right.under - right.over * left.under
  const distance = difference < 0n ? -difference : difference
  return distance << 31n < left.under * right.under
}

/** For showing: exact to a millionth. */
export function decimal({ over, under }: Fraction): number {
  return Number((over * 1_000_000n) / under) / 1_000_000
}
