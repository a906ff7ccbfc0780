/**
 * V8 throws compiled code away with the last object of a shape that it was compiled for. Collected
 * while nothing is under way, a broker would be as slow as at its start: one of each kind is kept.
 */
export function keepShapes(): (kind: string, specimen: unknown) => void {
  const kept = new Map<string, unknown>()
  return (kind, specimen) => kept.set(kind, specimen)
}
