/** Equal for equal values, whatever the order of their names. */
export function canonical(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'none'
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return `{${entries
    .map(([name, one]) => `${name}:${canonical(one)}`)
    .sort()
    .join()}}`
}
