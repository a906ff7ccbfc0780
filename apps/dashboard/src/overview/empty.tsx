import type { ComponentChildren } from 'preact'
import { formatCount } from '../format/amount.ts'

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{children}</p>
    </div>
  )
}

type ShowMoreProps = Readonly<{ hiddenCount: number; what: string; onShow(): void }>

export function ShowMore({ hiddenCount, what, onShow }: ShowMoreProps) {
  if (hiddenCount <= 0) return null
  return (
    <button type="button" class="more" onClick={onShow}>
      Show more{' '}
      <span class="muted">
        ({formatCount(hiddenCount)} {what} not shown)
      </span>
    </button>
  )
}
