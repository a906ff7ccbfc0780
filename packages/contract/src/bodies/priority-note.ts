/** What is said of a priority that counts less than was asked for; undefined if it counts fully. */
export function priorityNote(
  asked: number | null | undefined,
  counted: number,
): string | undefined {
  if (typeof asked !== 'number' || asked <= counted) return undefined
  return `priority ${asked} counts as ${counted}, the most that --max-priority allows here`
}
