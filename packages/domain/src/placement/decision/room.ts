import { amountOf, fits, type Resources } from '../../quantity/resources.ts'
import type { PlacementRequest, RefusalCode } from './decision.ts'

type Figures = Readonly<{ available: Resources; nodeFit?: Resources }>
type Wanted = Pick<PlacementRequest, 'wanted' | 'oneNode'>

/** The refusals that depend on what a cluster holds: the last filters, for one cluster. */
export function lackOfRoom(
  { wanted, oneNode }: Wanted,
  { available, nodeFit }: Figures,
): RefusalCode | undefined {
  if (!fits(wanted, available)) return 'Insufficient'
  return oneNode && !fitsOnNode(wanted, nodeFit) ? 'NoNodeFits' : undefined
}

/** A resource that is not named is unknown, and may fit. */
export function fitsOnNode(wanted: Resources, nodeFit: Resources | undefined): boolean {
  return shortOnNode(wanted, nodeFit) === undefined
}

/** What a node has of each wanted resource of which it has too little. Undefined: of none. */
export function shortOnNode(wanted: Resources, node: Resources | undefined): Resources | undefined {
  if (node === undefined) return undefined
  let short: Record<string, bigint> | undefined
  for (const name in wanted) {
    if (!Object.hasOwn(node, name)) continue
    const most = amountOf(node, name)
    if (amountOf(wanted, name) <= most || amountOf(wanted, name) <= 0n) continue
    short ??= {}
    short[name] = most
  }
  return short
}
