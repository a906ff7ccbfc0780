import {
  PROBLEM_FIELDS_MAX,
  type ProblemField,
  printable,
  type QuantitiesInput,
  RESOURCE_NAMES_LENGTH_MAX,
  unprintableIn,
} from '@bourse/contract'
import { nearestName } from '@bourse/daemon/nearest-name'
import {
  canonicalName,
  nameProblem,
  parseDuration,
  parseResources,
  type Resources,
} from '@bourse/domain/quantity'

type ResourcesKind = Parameters<typeof parseResources>[1]
type Read = Readonly<{ resources: Resources; aliases: readonly string[] }>

const NOTHING: Read = { resources: {}, aliases: [] }

/** Collects what is wrong with a body, so that its author hears of every bad field at once. */
export type FieldCheck = ReturnType<typeof createFieldCheck>

export function createFieldCheck() {
  const problems: ProblemField[] = []

  function add(path: string, message: string): void {
    // Complaints quote what was sent, and are shown to others: in the log, in a status.
    if (problems.length < PROBLEM_FIELDS_MAX)
      problems.push({ path: printable(path), message: printable(message) })
  }

  function resources(
    path: string,
    written: QuantitiesInput | undefined,
    kind: ResourcesKind,
  ): Read {
    const quantities = given(written)
    if (areNamesTooLong(quantities)) {
      add(path, `names its resources with more than ${RESOURCE_NAMES_LENGTH_MAX} characters in all`)
      return NOTHING
    }
    checkNumbers(path, quantities)
    const parsed = parseResources(quantities, kind)
    if (parsed.kind === 'ok') return { resources: parsed.resources, aliases: parsed.aliases ?? [] }
    for (const { name, reason } of parsed.problems)
      add(memberPath(path, name), `${reason}${suggestionFor(name)}`)
    return NOTHING
  }

  /** JSON has already lost digits of a larger number. */
  function checkNumbers(path: string, quantities: Readonly<Record<string, string | number>>): void {
    for (const name in quantities) {
      const quantity = quantities[name]
      if (typeof quantity === 'number' && quantity > Number.MAX_SAFE_INTEGER)
        add(
          memberPath(path, name),
          'is a number beyond 2^53, which is not exact: write it in quotes',
        )
    }
  }

  /** Absent, null and '' are the same: a Go client cannot always leave a field out. */
  function durationMs(path: string, written: string | null | undefined): number | undefined {
    if (!written) return undefined
    const parsed = parseDuration(written)
    if (parsed.kind === 'ok') return parsed.durationMs
    add(path, parsed.reason)
    return undefined
  }

  /** Free text that others will read, on a terminal among others. */
  function text(path: string, written: unknown, lines: 'one line' | 'lines' = 'one line'): void {
    if (typeof written !== 'string') return
    const found = unprintableIn(written, lines)
    if (found !== undefined)
      add(path, `has ${found}, which cannot be shown: send text without control characters`)
  }

  return { add, resources, durationMs, text, problems: problems as readonly ProblemField[] }
}

const RESOURCES = ['cpu', 'memory', 'gpu', 'storage', 'ephemeral-storage', 'pods']

/** For a name that is not a resource, but similar to one. */
function suggestionFor(name: string): string {
  if (name === '' || nameProblem(canonicalName(name)) === undefined) return ''
  const nearest = nearestName(name, RESOURCES)
  return nearest ? ` (did you mean ${nearest}?)` : ''
}

/** Names are kept, journaled and sent with every reservation and every list. */
function areNamesTooLong(quantities: Readonly<Record<string, unknown>>): boolean {
  let length = 0
  for (const name in quantities) length += name.length
  return length > RESOURCE_NAMES_LENGTH_MAX
}

/** Every bad field in one sentence. */
export function fieldSentence(fields: readonly ProblemField[]): string {
  return fields.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
}

export function memberPath(path: string, name: string): string {
  if (name === '') return path
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

/** Leaves out members without a value. */
function given(written: QuantitiesInput | undefined): Record<string, string | number> {
  const entries = Object.entries(written ?? {})
  const areAll = entries.every(isGiven)
  const kept = areAll ? written : Object.fromEntries(entries.filter(isGiven))
  // The nulls are gone, if there were any; fromEntries also keeps `__proto__` a mere name.
  return (kept ?? {}) as Record<string, string | number>
}

/** Null, and '' for the two that are optional in the Go original's bodies; elsewhere '' is a slip. */
function isGiven([name, quantity]: readonly [string, string | number | null]): boolean {
  return quantity !== null && !(quantity === '' && OPTIONAL.has(name))
}

const OPTIONAL: ReadonlySet<string> = new Set(['gpu', 'storage'])
