import type { ComponentChildren } from 'preact'
import { useFold, useIsNarrow } from './use-fold.ts'

type Props = Readonly<{
  /** Also the id of its heading. */
  id: string
  title: string
  /** Beside the title. */
  count?: string
  /** What it says, in one line. */
  gist: ComponentChildren
  controls?: ComponentChildren
  isOpenAtFirst?: boolean
  class?: string
  children: ComponentChildren
}>

/** A part of the page. On a phone it folds to its heading and one line. */
export function Section({ id, title, count, gist, controls, isOpenAtFirst, ...rest }: Props) {
  const isNarrow = useIsNarrow()
  const { isUnfolded, toggle } = useFold(id, isOpenAtFirst ?? false)
  const isOpen = isUnfolded || !isNarrow
  const heading = (
    <>
      {title} {count !== undefined && <span class="count num">{count}</span>}
    </>
  )
  return (
    <section aria-labelledby={id} class={rest.class}>
      <div class={`section-head ${isOpen ? '' : 'folded'}`}>
        <h2 id={id} tabIndex={-1}>
          {isNarrow ? (
            <button
              type="button"
              class="fold"
              aria-expanded={isOpen}
              aria-controls={`${id}-body`}
              onClick={toggle}
            >
              {heading}
            </button>
          ) : (
            heading
          )}
        </h2>
        {isOpen ? controls : <p class="gist">{gist}</p>}
      </div>
      <div id={`${id}-body`} hidden={!isOpen}>
        {isOpen && rest.children}
      </div>
    </section>
  )
}
