import type { Step } from './peering.ts'

/** In the order in which they are reached. */
export type StepName =
  | 'PeeringRequested'
  | 'TenantReady'
  | 'IdentityReady'
  | 'NetworkReady'
  | 'SliceAccepted'
  | 'NodeReady'
  | 'NamespaceOffloaded'

export function reached(type: StepName, reason: string, message: string): Step {
  return { type, status: 'True', reason, message }
}

export function waiting(type: StepName, reason: string, message: string): Step {
  return { type, status: 'False', reason, message }
}
