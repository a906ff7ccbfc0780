import type { AgentConfig } from '../config/index.ts'
import { createNoPeering } from './no-peering.ts'
import type { Peering } from './peering.ts'

/** The way of peering that the flags choose. */
export function createPeering({ kind }: AgentConfig['peering']): Peering {
  if (kind === 'none') return createNoPeering()
  throw new Error(`--peering=${kind} comes with a later release: use --peering=none.`)
}
