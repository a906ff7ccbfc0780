import type { Explained } from '@bourse/contract/dashboard'
import { useEffect, useRef } from 'preact/hooks'
import { describeWanted, formatCount } from '../format/amount.ts'
import { toIso } from '../format/moment.ts'
import { formatPrice } from '../format/price.ts'
import { describeRefusals } from '../format/refusal.ts'
import { Ago } from '../live/moments.tsx'
import { headline, isTargetUnknown } from './headline.ts'
import { RankingRow } from './ranking-row.tsx'
import { useExplainedId, useExplanation } from './use-explanation.ts'

export function ExplanationDialog() {
  const id = useExplainedId()
  return id === undefined ? null : <OpenDialog id={id} />
}

/** The browser's own modal keeps the focus inside, closes on Escape and returns the focus. */
function OpenDialog({ id }: { id: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => giveBackFocus(opener)
  }, [])
  return (
    <dialog ref={dialog} class="why" aria-labelledby="why-title" onClose={leave} closedby="any">
      <div class="why-inner">
        <button
          type="button"
          class="icon-button close"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <svg viewBox="0 0 24 24" width="18" height="18" class="icon" aria-hidden="true">
            <path d="M6 6l12 12M18 6 6 18" />
          </svg>
        </button>
        <Content id={id} />
      </div>
    </dialog>
  )
}

/** The opened row may have left the list meanwhile; the heading of the list is still there. */
function giveBackFocus(opener: Element | null): void {
  const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected
  const target = isThere ? opener : document.getElementById('decisions')
  target?.focus({ preventScroll: isThere })
}

function leave(): void {
  history.pushState(null, '', location.pathname)
  // pushState alone fires no event.
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}

function Content({ id }: { id: string }) {
  const reading = useExplanation(id)
  switch (reading.kind) {
    case 'reading':
      return <h2 id="why-title">Looking up why…</h2>
    case 'failed':
      return (
        <>
          <h2 id="why-title">No explanation</h2>
          <p class="muted">{reading.detail}</p>
        </>
      )
    case 'read':
      return <Why explained={reading.explained} />
  }
}

function Why({ explained }: { explained: Explained }) {
  const { rows, rowCount, currency, isComplete } = explained
  // Clusters other than the target get no row; the last line counts them.
  const asked = isTargetUnknown(explained)
    ? []
    : rows.filter(({ refusal }) => refusal !== 'NotTheTarget')
  return (
    <>
      <h2 id="why-title">{headline(explained)}</h2>
      <p class="why-lead">
        <span class="num">{describeWanted(explained.wanted)}</span>{' '}
        <span class="muted">
          {explained.oneNode && 'on one node '}for {explained.requester}
        </span>
      </p>
      {explained.why !== undefined && <p class="why-sum">{explained.why}</p>}
      <Facts explained={explained} />
      {!isComplete && (
        <p class="note">
          This decision is too old for the full table: only the best clusters are kept, and how many
          others were refused for which reason.
        </p>
      )}
      {asked.length > 0 && (
        <ol class="ranking" aria-label="Clusters, best first">
          {asked.map((row, place) => (
            <RankingRow
              key={row.clusterId}
              row={row}
              place={place}
              wanted={explained.wanted}
              currency={currency}
            />
          ))}
        </ol>
      )}
      <Rest explained={explained} hiddenCount={isComplete ? rowCount - rows.length : 0} />
    </>
  )
}

function Facts({ explained }: { explained: Explained }) {
  const { reservation } = explained
  return (
    <dl class="facts">
      <Fact name="decided">
        <time dateTime={toIso(explained.at)} title={toIso(explained.at)}>
          <Ago at={explained.at} />
        </time>
      </Fact>
      {explained.outcome === 'reserved' && (
        // The id of a refused request is known to this page only.
        <Fact name="id">
          <span class="mono">{explained.id}</span>
        </Fact>
      )}
      <Fact name="index">
        <span class="num">{formatCount(explained.index)}</span>
      </Fact>
      {reservation && <Fact name="phase">{reservation.phase}</Fact>}
      {reservation?.pricePerHour !== undefined && (
        <Fact name="price">
          {formatPrice(reservation.pricePerHour, reservation.currency ?? '')}/h
        </Fact>
      )}
      <Fact name="policy">
        <span class="mono">{explained.policy}</span>
      </Fact>
      {explained.pinned !== undefined && <Fact name="asked for">{explained.pinned}</Fact>}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Rest({ explained, hiddenCount }: { explained: Explained; hiddenCount: number }) {
  const refusals = describeRefusals(explained.refused)
  const others = explained.refused.NotTheTarget ?? 0
  return (
    <p class="muted">
      {refusals ? `Refused in all: ${refusals}. ` : ''}
      {others > 0 &&
        `${formatCount(others)} other ${others === 1 ? 'cluster was' : 'clusters were'} not asked for. `}
      {hiddenCount > 0 && `${formatCount(hiddenCount)} more clusters are not listed here.`}
    </p>
  )
}
