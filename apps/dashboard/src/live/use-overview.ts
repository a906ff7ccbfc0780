import type { Overview } from '@bourse/contract/dashboard'
import { useEffect, useState } from 'preact/hooks'
import { setBrokerTime } from './broker-clock.ts'
import { type LineState, openLiveLine } from './live-line.ts'
import { mergeUpdate } from './merge-update.ts'

export function useOverview(): { overview: Overview | undefined; line: LineState } {
  const [overview, setOverview] = useState<Overview>()
  const [line, setLine] = useState<LineState>('connecting')

  useEffect(
    () =>
      openLiveLine({
        onOverview(whole) {
          setBrokerTime(whole.now)
          setOverview(whole)
        },
        onUpdate(update) {
          setBrokerTime(update.now)
          setOverview((before) => before && mergeUpdate(before, update))
        },
        onState: setLine,
      }),
    [],
  )
  return { overview, line }
}
