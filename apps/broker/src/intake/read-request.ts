import { hash } from 'node:crypto'
import type { ReservationRequest } from '@bourse/contract'
import type { ReserveCommand } from '@bourse/domain/ledger'
import { formatDuration } from '@bourse/domain/quantity'
import type { FieldCheck } from './field-check.ts'

export type RequestLimits = Readonly<{
  maxDurationMs: number
  defaultDurationMs?: number
  /** The highest priority for all but operators; absent: no limit. */
  maxPriority?: number
}>

type Written = Pick<
  ReservationRequest,
  'requestedResources' | 'priority' | 'duration' | 'targetClusterID' | 'oneNode'
>
/** The priority as asked for; the caller's limit is applied later. */
type Terms = Pick<
  ReserveCommand,
  'wanted' | 'aliases' | 'priority' | 'durationMs' | 'pinned' | 'oneNode'
>
export type ReadRequest = Readonly<{
  terms: Terms
  /** As it was asked for, before defaults. */
  askedMs: number | undefined
}>

/** What a request asks for, whichever way it came; every bad field is noted. */
export function readRequest(body: Written, check: FieldCheck, limits: RequestLimits): ReadRequest {
  const { requestedResources } = body
  const { resources: wanted, aliases } = check.resources(
    'requestedResources',
    requestedResources,
    'wanted',
  )
  const askedMs = checkedDuration(body.duration, check, limits)
  const pinned = body.targetClusterID || undefined
  const durationMs = askedMs ?? limits.defaultDurationMs
  const terms: Terms = {
    wanted,
    ...(aliases.length > 0 && { aliases }),
    priority: body.priority ?? 0,
    ...(durationMs !== undefined && { durationMs }),
    ...(pinned !== undefined && { pinned }),
    ...(body.oneNode && { oneNode: true }),
  }
  return { terms, askedMs }
}

/** Longer than nothing, and at most what the operator allows. */
export function checkedDuration(
  written: string | null | undefined,
  check: FieldCheck,
  { maxDurationMs }: RequestLimits,
): number | undefined {
  const durationMs = check.durationMs('duration', written)
  if (durationMs === undefined) return undefined
  if (durationMs === 0) check.add('duration', `'${written}' must be longer than zero`)
  if (durationMs > maxDurationMs)
    check.add('duration', `'${written}' is more than the ${formatDuration(maxDurationMs)} allowed`)
  return durationMs
}

/** A priority that a cluster gives itself counts as --max-priority at most. */
export function countedPriority(asked: number, { maxPriority }: RequestLimits): number {
  return maxPriority === undefined ? asked : Math.min(asked, maxPriority)
}

/** Nothing where sums decide, as in fingerprints of before. */
export function nodeTerms({ oneNode }: Pick<Terms, 'oneNode'>): string[] {
  return oneNode ? ['oneNode'] : []
}

export function sortedAmounts(resources: ReserveCommand['wanted']): string[] {
  return Object.entries(resources)
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
}

const FINGERPRINTS_MAX = 1_000
const fingerprints = new Map<string, string>()

/**
 * What was asked, before defaults: a changed default must not turn a retry into something else.
 * Many ask for the same, and their reservations then share one text instead of a new digest each.
 */
export function fingerprintOf(asked: readonly unknown[]): string {
  const text = JSON.stringify(asked)
  const known = fingerprints.get(text)
  if (known !== undefined) return known
  if (fingerprints.size >= FINGERPRINTS_MAX) fingerprints.clear()
  const fingerprint = hash('sha256', text, 'base64url')
  fingerprints.set(text, fingerprint)
  return fingerprint
}
