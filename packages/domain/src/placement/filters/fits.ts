import { amountOf } from '../../quantity/resources.ts'
import type { Board } from '../board.ts'
import { type Filter, markOf, PASSED, type Verdicts } from '../filter.ts'

const INSUFFICIENT = markOf('Insufficient')

/** Every requested resource must fit; one that a cluster does not know is zero there. */
export const fits: Filter = {
  name: 'fits',

  refuse(board, { wanted }, verdicts) {
    for (const name in wanted) {
      const amount = amountOf(wanted, name)
      if (amount > 0n) refuseShort({ board, name, amount, verdicts })
    }
  },
}

type Asked = Readonly<{ board: Board; name: string; amount: bigint; verdicts: Verdicts }>

function refuseShort({ board, name, amount, verdicts }: Asked): void {
  const { count } = board
  const available = board.column(name)?.available ?? new Float64Array(count)
  const wanted = Number(amount)
  for (let slot = 0; slot < count; slot += 1) {
    const free = available[slot] ?? 0
    if (free > wanted || verdicts[slot] !== PASSED) continue
    // Number() never turns an order round, so less in doubles is less in truth. Equal doubles
    // beyond 2^53 may hide a difference, and only the exact figures can tell.
    const isShort =
      free < wanted ||
      (wanted > Number.MAX_SAFE_INTEGER && amountOf(board.exact(slot).available, name) < amount)
    if (isShort) verdicts[slot] = INSUFFICIENT
  }
}
