const DISTANCE_MAX = 3

/** The most similar name, if one is similar enough: at most half of a short name may differ. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const spelled = normalise(written)
  const ranked = names
    .map((name) => ({ name, distance: editDistance(spelled, normalise(name)) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.min(DISTANCE_MAX, spelled.length / 2) ? best.name : undefined
}

/** `httpPort`, `http_port` and `HTTP-PORT` are all `http-port`. */
function normalise(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

/** Levenshtein's distance, a row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
