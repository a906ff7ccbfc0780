export { type AgentObjects, type Instruction, objectsOf } from './agent-objects.ts'
export { type AgentProcess, startAgent } from './agent-process.ts'
export {
  type Federation,
  type FederationOptions,
  type MemberCluster,
  startFederation,
} from './federation.ts'
