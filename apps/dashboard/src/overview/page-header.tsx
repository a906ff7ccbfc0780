import type { AuditState, Overview } from '@bourse/contract/dashboard'
import { formatCount } from '../format/amount.ts'
import type { LineState } from '../live/live-line.ts'
import { Ago } from '../live/moments.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

type Props = Readonly<{ overview: Overview | undefined; line: LineState }>

export function PageHeader({ overview, line }: Props) {
  return (
    <header class="top">
      <a class="brand" href="/" aria-label="bourse, overview">
        <Mark />
        bourse
      </a>
      <ul class="vitals" aria-label="State of the broker">
        <li>
          <LineChip line={line} updatedAt={overview?.now} />
        </li>
        {overview && (
          <>
            <li>
              <AuditChip audit={overview.audit} />
            </li>
            <li class="fact ledger" title={`Ledger ${overview.ledgerId}`}>
              <span class="fact-name">ledger</span>
              <span class="mono">{shortId(overview.ledgerId)}</span>
            </li>
            <li class="fact">
              <span class="fact-name">index</span>
              <span class="num">{formatCount(overview.index)}</span>
            </li>
          </>
        )}
      </ul>
      <ThemeToggle />
    </header>
  )
}

const LINE_WORDS: Readonly<Record<LineState, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  reconnecting: 'Reconnecting…',
}

function LineChip({ line, updatedAt }: { line: LineState; updatedAt: number | undefined }) {
  const tone = line === 'live' ? 'good' : 'warn'
  return (
    <span class={`chip ${tone}`} role="status">
      <i class={`dot ${line === 'live' ? 'pulse' : ''}`} aria-hidden="true" />
      {LINE_WORDS[line]}
      {line === 'reconnecting' && updatedAt !== undefined && (
        <span class="chip-detail">
          last update <Ago at={updatedAt} />
        </span>
      )}
    </span>
  )
}

const AUDIT_WORDS: Readonly<Record<AuditState['verdict'], { word: string; tone: string }>> = {
  sound: { word: 'Books sound', tone: 'good' },
  unsound: { word: 'Books do not add up', tone: 'bad' },
  unknown: { word: 'Audit pending', tone: 'quiet' },
}

function AuditChip({ audit }: { audit: AuditState }) {
  const { word, tone } = AUDIT_WORDS[audit.verdict]
  return (
    <span class={`chip ${tone}`} title={audit.detail}>
      <i class="dot" aria-hidden="true" />
      {word}
      <span class="sr-only">: {audit.detail}</span>
    </span>
  )
}

const shortId = (ledgerId: string) => ledgerId.slice(0, 8)

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect class="mark-ground" width="32" height="32" rx="8" />
      <rect class="mark-bar" x="7" y="17" width="5" height="8" rx="1.5" opacity=".55" />
      <rect class="mark-bar" x="13.5" y="7" width="5" height="18" rx="1.5" />
      <rect class="mark-bar" x="20" y="12" width="5" height="13" rx="1.5" opacity=".8" />
    </svg>
  )
}
