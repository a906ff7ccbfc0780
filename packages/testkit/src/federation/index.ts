export * from './agent-objects.ts'
export { type AgentProcess, startAgent } from './agent-process.ts'
export * from './federation.ts'
