import { useEffect, useState } from 'preact/hooks'

const NARROW = '(max-width: 680px)' // style/narrow.css has the same

/** As wide as a phone, also while it is turned or the window is resized. */
export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const query = matchMedia(NARROW)
    const follow = () => setNarrow(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])
  return isNarrow
}

/** Kept in this browser: a section is found again as it was left. */
export function useFold(id: string, isOpenAtFirst: boolean) {
  const key = `bourse-section-${id}`
  const [isUnfolded, setUnfolded] = useState(() => {
    const kept = localStorage.getItem(key)
    return kept === null ? isOpenAtFirst : kept === 'open'
  })

  function toggle(): void {
    localStorage.setItem(key, isUnfolded ? 'folded' : 'open')
    setUnfolded(!isUnfolded)
  }
  return { isUnfolded, toggle }
}
