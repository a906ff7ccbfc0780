export {
  type AgentConfig,
  type AgentConfigReading,
  type BrokerAddress,
  type CostConfig,
  type LiqoctlPeeringConfig,
  type NativePeeringConfig,
  readAgentConfig,
} from './agent-config.ts'
export { agentFlags } from './agent-flags.ts'
export type { ObjectName } from './kinds.ts'
