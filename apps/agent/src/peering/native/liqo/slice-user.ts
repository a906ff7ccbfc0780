import { createHash } from 'node:crypto'

/** Liqo: the first six bytes, in hex. */
const MARK_LENGTH = 12

/**
 * Whom Liqo lets in with the certificate of a slice: the name of its Quota, and the creator that
 * its webhook stamps on every offloaded pod.
 */
export function sliceUserOf(slice: string, consumerLiqoId: string): string {
  return `${slice}-${liqoIdHash(consumerLiqoId)}`
}

export function liqoIdHash(liqoId: string): string {
  return createHash('sha256').update(liqoId).digest('hex').slice(0, MARK_LENGTH)
}
