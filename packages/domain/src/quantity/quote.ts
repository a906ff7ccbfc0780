const QUOTED_LENGTH_MAX = 40

/** Quotes a caller's text for a sentence; cut, so that a long one does not drown the reason. */
export function quote(text: string): string {
  const cut = text.length > QUOTED_LENGTH_MAX ? `${text.slice(0, QUOTED_LENGTH_MAX)}…` : text
  return JSON.stringify(cut)
}
