import type { DecisionLine } from '@bourse/contract/dashboard'
import { useMemo, useState } from 'preact/hooks'
import { explanationHref } from '../explanation/explanation-address.ts'
import { describeWanted, formatScore } from '../format/amount.ts'
import { describeRefusals, refusalGrounds } from '../format/refusal.ts'
import { decisionKey } from '../live/merge-update.ts'
import { Ago } from '../live/moments.tsx'
import { Empty, ShowMore } from './empty.tsx'
import { Section } from './section.tsx'

const SHOWN_FIRST = 16
const RUNNERS_UP_MAX = 2

export function DecisionStream({ decisions }: { decisions: readonly DecisionLine[] }) {
  const [shownMax, setShownMax] = useState(SHOWN_FIRST)
  return (
    <Section
      id="decisions"
      title="Decisions"
      class="panel decisions"
      gist={<Gist newest={decisions[0]} />}
      controls={decisions.length > 0 && <span class="muted">open one to see why</span>}
    >
      {decisions.length === 0 && (
        <Empty title="Nothing decided yet">
          Each request is explained here: which cluster was chosen, which came close, and why not
          the others.
        </Empty>
      )}
      <ol class="rows">
        {decisions.slice(0, shownMax).map((line) => (
          <DecisionItem key={decisionKey(line)} line={line} />
        ))}
      </ol>
      <ShowMore
        hiddenCount={decisions.length - shownMax}
        what="decisions"
        onShow={() => setShownMax(decisions.length)}
      />
    </Section>
  )
}

function Gist({ newest }: { newest: DecisionLine | undefined }) {
  if (!newest) return <span>none yet</span>
  return (
    <>
      <Verdict line={newest} /> <span>for {newest.requester}</span> <Ago at={newest.at} />
    </>
  )
}

const DecisionItem = ({ line }: { line: DecisionLine }) =>
  useMemo(
    () => (
      <li>
        <a class={`decision ${line.kind}`} href={explanationHref(line.id)} aria-haspopup="dialog">
          <span class="decision-head">
            <Verdict line={line} />
            <Ago at={line.at} />
          </span>
          <span class="decision-what">
            {describeWanted(line.wanted)} <span class="muted">for {line.requester}</span>
          </span>
          <Grounds line={line} />
        </a>
      </li>
    ),
    [line],
  )

function Verdict({ line }: { line: DecisionLine }) {
  switch (line.kind) {
    case 'reserved': {
      const [winner] = line.best
      return (
        <span class="verdict">
          <b>{winner?.clusterId ?? 'reserved'}</b>{' '}
          {winner && <span class="verdict-score num">{formatScore(winner.score)}</span>}
        </span>
      )
    }
    case 'refused':
      return (
        <span class="verdict">
          <b>Refused</b>
        </span>
      )
    case 'ended':
      return (
        <span class="verdict">
          {ENDINGS[line.reason] ?? line.reason} <span class="muted">on</span>{' '}
          {line.providers.join(', ')}
        </span>
      )
  }
}

const ENDINGS: Readonly<Record<string, string>> = { RequesterGone: 'Reclaimed' }

function Grounds({ line }: { line: DecisionLine }) {
  switch (line.kind) {
    case 'reserved':
      return <RunnersUp line={line} />
    case 'refused':
      return <span class="grounds">{refusalGrounds(line.refused)}</span>
    case 'ended':
      return <Signature line={line} />
  }
}

function Signature({ line: { by, why } }: { line: Extract<DecisionLine, { kind: 'ended' }> }) {
  const said = [by && `by ${by}`, why].filter(Boolean).join(': ')
  return said ? <span class="grounds">{said}</span> : null
}

function RunnersUp({ line }: { line: Extract<DecisionLine, { kind: 'reserved' }> }) {
  const [, ...others] = line.best
  const named = others
    .slice(0, RUNNERS_UP_MAX)
    .map(({ clusterId, score }) => `${clusterId} ${formatScore(score)}`)
  const refusals = describeRefusals(line.refused)
  const alone = line.refused.NotTheTarget ? 'the one asked for' : 'the only fit'
  const ahead = named.length > 0 ? `ahead of ${named.join(', ')}` : alone
  return <span class="grounds">{refusals ? `${ahead} · ${refusals}` : ahead}</span>
}
