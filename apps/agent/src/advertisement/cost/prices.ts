/** Decimal strings, per core-hour, GiB-hour and GPU-hour. */
export type Prices = Readonly<{ cpuCost?: string; memoryCost?: string; gpuCost?: string }>

/** As the advertisement carries it. */
export type Cost = Prices & Readonly<{ currency: string }>

const PRICE_NAMES = ['cpuCost', 'memoryCost', 'gpuCost'] as const

/** Each price from the first source that has it. */
export function firstOf(...sources: readonly Prices[]): Prices {
  const found = PRICE_NAMES.flatMap((name) => {
    const price = sources.find((source) => source[name] !== undefined)?.[name]
    return price === undefined ? [] : [[name, price] as const]
  })
  return Object.fromEntries(found)
}

export function hasPrice(prices: Prices): boolean {
  return PRICE_NAMES.some((name) => prices[name] !== undefined)
}
