import type { Amounts, ExplainedRow } from '@bourse/contract/dashboard'
import {
  describeWanted,
  formatAmount,
  formatScore,
  formatShare,
  inReadingOrder,
  resourceLabel,
} from '../format/amount.ts'
import { formatPrice } from '../format/price.ts'
import { refusalSentence } from '../format/refusal.ts'

type Props = Readonly<{
  row: ExplainedRow
  place: number
  wanted: Amounts
  currency: string
}>

export function RankingRow({ row, place, wanted, currency }: Props) {
  const figures = figuresOf(row, wanted, currency)
  return (
    <li class={`ranked ${row.verdict}`}>
      <span class="place num" aria-hidden="true">
        {row.verdict === 'refused' ? '–' : place + 1}
      </span>
      <div class="ranked-body">
        <div class="ranked-head">
          <b>{row.clusterId}</b>
          {row.verdict === 'chosen' && <span class="badge good">chosen</span>}
          <span class="push" />
          {row.score !== undefined && <span class="num strong">{formatScore(row.score)}</span>}
        </div>
        {row.score !== undefined && <ScoreParts row={row} score={row.score} />}
        {row.refusal !== undefined && row.refusal !== 'Insufficient' && (
          <p class="reason">{refusalSentence(row.refusal)}</p>
        )}
        {row.largestNode && row.verdict !== 'refused' && (
          <p class="notice">Largest free node: {describeWanted(row.largestNode)}</p>
        )}
        {row.shortfalls?.map((shortfall) => (
          <Shortfall key={shortfall.resource} {...shortfall} />
        ))}
        {figures !== '' && <p class="muted small">{figures}</p>}
      </div>
    </li>
  )
}

function ScoreParts({ row, score }: { row: ExplainedRow; score: number }) {
  const parts = Object.entries(row.parts ?? {})
  return (
    <>
      <span class="score-track" aria-hidden="true">
        <span class="score-fill" style={{ width: `${score}%` }} />
      </span>
      <p class="small">
        {parts.map(([name, part]) => (
          <span key={name} class="part">
            {name} <span class="num">{formatScore(part)}</span>
          </span>
        ))}
        {row.band !== undefined && <span class="part">{row.band}</span>}
      </p>
    </>
  )
}

type ShortfallProps = Readonly<{ resource: string; wanted: number; available: number }>

/** Says what would have to change. */
function Shortfall({ resource, wanted, available }: ShortfallProps) {
  return (
    <p class="reason">
      {resourceLabel(resource)}: <span class="num">{formatAmount(resource, available)}</span>{' '}
      available, <span class="num">{formatAmount(resource, wanted - available)}</span> more needed
    </p>
  )
}

function figuresOf(row: ExplainedRow, wanted: Amounts, currency: string): string {
  const { allocatable, available, pricePerHour } = row
  const shares = inReadingOrder(Object.keys(wanted)).flatMap((resource) => {
    if (!allocatable || !available || row.shortfalls?.some((one) => one.resource === resource))
      return []
    const has = Math.max(0, available[resource] ?? 0)
    return `${resourceLabel(resource)} ${formatShare(resource, has, allocatable[resource] ?? 0)}`
  })
  const isPriced = pricePerHour !== undefined && row.verdict !== 'refused'
  const price = !isPriced ? [] : [`${formatPrice(pricePerHour, currency)}/h`]
  const unpriced = row.unpriced === undefined ? [] : [row.unpriced]
  const having = shares.length > 0 ? [`${shares.join(', ')} available`] : []
  return [...having, ...price, ...unpriced].join(' · ')
}
