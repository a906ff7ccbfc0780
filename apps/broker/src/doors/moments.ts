/** RFC 3339, as Go's time.Time reads it. */
export function isoOf(at: number): string {
  return new Date(at).toISOString()
}
