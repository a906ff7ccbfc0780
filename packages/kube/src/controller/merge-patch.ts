export type Json = { readonly [name: string]: unknown }

/**
 * The JSON merge patch from `before` to `after`: null for removed fields, lists as a whole.
 * Undefined if they are equal. An undefined field counts as absent, as in JSON.
 */
export function mergePatchOf(before: Json, after: Json): Json | undefined {
  const patch: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]]
    if (isSameJson(was, is)) continue
    if (isRecord(was) && isRecord(is)) patch[name] = mergePatchOf(was, is)
    else patch[name] = is ?? null
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => isSameJson(one, b[at]))
  if (!isRecord(a) || !isRecord(b)) return (a ?? undefined) === (b ?? undefined)
  for (const name of Object.keys(a)) if (!isSameJson(a[name], b[name])) return false
  // Fields that only `b` has must be undefined or null.
  for (const name of Object.keys(b)) if (!isSameJson(a[name], b[name])) return false
  return true
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
