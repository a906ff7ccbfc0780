import { parseResources, type Resources } from '@bourse/domain/quantity'
import { type Quantities, shortagesOf } from '../liqo/resource-slice.ts'

/**
 * Slots for pods where a reservation names none: what a node of Kubernetes has by default. Without
 * any the node would take no pod at all.
 */
const PODS = '110'

/** What a slice asks for: exactly what is reserved, and none of what was asked before only. */
export function sizeOf(reserved: Quantities, before: Quantities = {}): Quantities {
  // A key that merely vanished would stay on the Node until its virtual-kubelet restarts.
  const gone = Object.keys(before).map((name) => [name, '0'])
  return { ...Object.fromEntries(gone), pods: PODS, ...reserved }
}

/** Whether both mean the same, however they are written; nothing and zero are the same, too. */
export function isSameSize(one: Quantities = {}, other: Quantities = {}): boolean {
  const [a, b] = [amountsOf(one), amountsOf(other)]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isSame(a, b, name))
}

/** Whether a node that shows this has exactly what was granted; it may show more names. */
export function covers(shown: Quantities = {}, granted: Quantities = {}): boolean {
  const [a, b] = [amountsOf(shown), amountsOf(granted)]
  return Object.keys(b).every((name) => isSame(a, b, name))
}

/** Of what less was granted than asked for, as a provider would say it. */
export function shortOf(granted: Quantities = {}, asked: Quantities = {}): string[] {
  return shortagesOf(amountsOf(granted), amountsOf(asked))
}

/** Whether more of something was granted than is asked for. */
export function exceeds(granted: Quantities = {}, asked: Quantities = {}): boolean {
  const [a, b] = [amountsOf(granted), amountsOf(asked)]
  return Object.keys(b).some((name) => (a[name] ?? 0n) > (b[name] ?? 0n))
}

function isSame(a: Resources, b: Resources, name: string): boolean {
  return (a[name] ?? 0n) === (b[name] ?? 0n)
}

/** What cannot be read is left out: another agent's, or Liqo's, writing is not ours to refuse. */
function amountsOf(quantities: Quantities): Resources {
  const entries = Object.entries(quantities).flatMap(([name, amount]) => {
    const parsed = parseResources({ [name]: amount }, 'supply')
    return parsed.kind === 'ok' ? Object.entries(parsed.resources) : []
  })
  return Object.fromEntries(entries)
}
