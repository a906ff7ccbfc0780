/**
 * V8 drops compiled code with the last object of the shape that it was compiled for. An idle broker
 * would then be as slow as at its start, so one object of each kind is kept.
 */
export function keepShapes(): (kind: string, specimen: unknown) => void {
  const kept = new Map<string, unknown>()
  return (kind, specimen) => kept.set(kind, specimen)
}
