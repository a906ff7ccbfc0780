export type ShareLimits = Readonly<{
  perCaller: number
  inAll: number
  /** Up to this a caller has it also when all is taken: a few must not lock out the rest. */
  always: number
}>
export type Shares = ReturnType<typeof createShares>

/** What each caller has open, of something of which there is only so much. */
export function createShares({ perCaller, inAll, always }: ShareLimits) {
  const taken = new Map<string, number>()
  let sum = 0

  return { take, giveBack, sum: () => sum }

  /** Whether there was room; only then is it to be given back. */
  function take(caller: string, amount = 1): boolean {
    const own = (taken.get(caller) ?? 0) + amount
    if (own > perCaller || (sum + amount > inAll && own > always)) return false
    taken.set(caller, own)
    sum += amount
    return true
  }

  function giveBack(caller: string, amount = 1): void {
    const left = (taken.get(caller) ?? 0) - amount
    if (left > 0) taken.set(caller, left)
    else taken.delete(caller)
    sum -= amount
  }
}
