/** Whether two plain values (records, lists, strings, integers) are equal. */
export function sameFacts(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = a as Record<string, unknown> // an object by the checks above
  const right = b as Record<string, unknown>
  let size = 0
  for (const name in left) {
    if (!Object.hasOwn(right, name) || !sameFacts(left[name], right[name])) return false
    size++
  }
  return size === Object.keys(right).length
}
