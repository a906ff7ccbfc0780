import type { DecisionLine } from '@bourse/contract/dashboard'
import { useEffect, useRef, useState } from 'preact/hooks'
import { describeWanted } from '../format/amount.ts'
import { decisionKey } from '../live/merge-update.ts'

/** Reading out every decision of a busy exchange would never end. */
const QUIET_MS = 5_000

/** Tells a screen reader what was decided, at most once in this time. */
export function Announcer({ decisions }: { decisions: readonly DecisionLine[] }) {
  const [text, setText] = useState('')
  const latest = useRef(decisions)
  const spokenKey = useRef(keyOfNewest(decisions))
  latest.current = decisions

  useEffect(() => {
    const timer = window.setInterval(() => {
      const fresh = freshSince(latest.current, spokenKey.current)
      spokenKey.current = keyOfNewest(latest.current)
      if (fresh.length > 0) setText(announce(fresh))
    }, QUIET_MS)
    return () => window.clearInterval(timer)
  }, [])

  return (
    <p class="sr-only" aria-live="polite">
      {text}
    </p>
  )
}

const keyOfNewest = ([newest]: readonly DecisionLine[]) => newest && decisionKey(newest)

function freshSince(
  lines: readonly DecisionLine[],
  key: string | undefined,
): readonly DecisionLine[] {
  const spoken = lines.findIndex((line) => decisionKey(line) === key)
  return spoken === -1 ? lines : lines.slice(0, spoken)
}

function announce([newest, ...others]: readonly DecisionLine[]): string {
  if (!newest) return ''
  const more = others.length > 0 ? `, and ${others.length} more` : ''
  return `${sentenceOf(newest)}${more}.`
}

function sentenceOf(line: DecisionLine): string {
  const what = `${describeWanted(line.wanted)} for ${line.requester}`
  switch (line.kind) {
    case 'reserved':
      return `Reserved on ${line.best[0]?.clusterId ?? 'a cluster'}: ${what}`
    case 'refused':
      return `Refused: ${what}`
    case 'ended':
      return `${line.reason} on ${line.providers.join(', ')}: ${what}`
  }
}
