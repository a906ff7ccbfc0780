export type { AgentConfig } from './config/index.ts'
export { type RunningAgent, runAgent } from './main.ts'
