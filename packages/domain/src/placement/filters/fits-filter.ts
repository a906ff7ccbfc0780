import { amountOf, type Resources } from '../../quantity/resources.ts'
import type { Board } from '../board/board.ts'
import { type Verdicts, verdictOf } from '../board/verdicts.ts'
import { nextAtMost } from '../selection/next-slot.ts'
import type { Filter } from './filter.ts'

const INSUFFICIENT = verdictOf('Insufficient')

/** Every wanted resource must fit. A cluster has 0 of what it does not name. */
export const fits: Filter<'wanted'> = {
  name: 'fits',
  needs: ['wanted'],

  refuse(board, { wanted }, verdicts) {
    for (const name in wanted) {
      const amount = amountOf(wanted, name)
      if (amount > 0n) refuseShort({ board, name, amount, verdicts })
    }
  },
}

type Asked = Readonly<{ board: Board<never>; name: string; amount: bigint; verdicts: Verdicts }>

function refuseShort({ board, name, amount, verdicts }: Asked): void {
  const { count } = board
  const available = board.column(name)?.available ?? new Float64Array(count)
  const wanted = Number(amount)
  for (
    let slot = nextAtMost(wanted, available, { from: 0, count });
    slot < count;
    slot = nextAtMost(wanted, available, { from: slot + 1, count })
  ) {
    // Number() keeps order: less as doubles is less exactly.
    const isLess = (available[slot] ?? 0) < wanted
    if (isLess || isShort(board.exact(slot).available, name, amount))
      verdicts.refuse(slot, INSUFFICIENT)
  }
}

/** Beyond 2^53 equal doubles may differ exactly. */
function isShort(available: Resources, name: string, amount: bigint): boolean {
  return amount > Number.MAX_SAFE_INTEGER && amountOf(available, name) < amount
}
