export { connectAgent, grantAgentRights } from './agent-rights.ts'
export { agentKinds, bourseKinds, brokerKinds } from './bourse-kinds.ts'
export { aNode, aPod } from './builders.ts'
export type { Identity } from './cluster-authority.ts'
export { grantClusterRights } from './cluster-rights.ts'
export {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from './control-plane.ts'
export type { Kubectl } from './kubectl.ts'
export { looseKind } from './loose-kind.ts'
export type { Part } from './part.ts'
export { writesSeen, writtenSince } from './writes-seen.ts'
