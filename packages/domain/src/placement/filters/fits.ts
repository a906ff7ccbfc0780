import { amountOf, fits as fitsExactly } from '../../quantity/resources.ts'
import type { Check, Filter } from '../filter.ts'

const nothingFits: Check = () => 'Insufficient'

/** Every requested resource must fit; one that a cluster does not know is zero there. */
export const fits: Filter = {
  name: 'fits',

  prepare(board, { wanted }) {
    const columns: Float64Array[] = []
    const amounts: number[] = []
    for (const name in wanted) {
      const amount = amountOf(wanted, name)
      if (amount <= 0n) continue
      const column = board.column(name)
      if (column === undefined) return nothingFits
      columns.push(column.available)
      amounts.push(Number(amount))
    }

    return (slot) => {
      for (let at = 0; at < amounts.length; at += 1) {
        const amount = amounts[at] ?? 0
        const available = columns[at]?.[slot] ?? 0
        // Number() never turns an order round, so less in doubles is less in truth. Equal doubles
        // beyond 2^53 may hide a difference, and only the exact figures can tell.
        if (available < amount) return 'Insufficient'
        if (available === amount && amount > Number.MAX_SAFE_INTEGER)
          return fitsExactly(wanted, board.exact(slot).available) ? undefined : 'Insufficient'
      }
      return undefined
    }
  },
}
