/** The Date header changes once a second; formatting it for every answer would be a waste. */
export function createDateHeader(now: () => number): () => string {
  let second = Number.NaN
  let text = ''
  return () => {
    const current = Math.floor(now() / 1_000)
    if (current !== second) {
      second = current
      text = new Date(current * 1_000).toUTCString()
    }
    return text
  }
}
