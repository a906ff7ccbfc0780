import { agentIdle } from './agent/agent-idle.ts'
import { agentsTold } from './agent/agents-told.ts'
import { capacityCpu } from './agent/capacity-cpu.ts'
import { capacityMemory } from './agent/capacity-memory.ts'
import { manyAgents } from './agent/many-agents.ts'
import { requestToReserved } from './agent/request-to-reserved.ts'
import type { Benchmark } from './harness/benchmark.ts'
import { kubernetesAdvertising } from './kubernetes/advertising.ts'
import { kubernetesFailover } from './kubernetes/failover.ts'
import { kubernetesMadeByHand } from './kubernetes/made-by-hand.ts'
import { kubernetesReserveLatency } from './kubernetes/reserve-latency.ts'
import { kubernetesReserveRate } from './kubernetes/reserve-rate.ts'
import { decision } from './ledger/decision.ts'
import { restart } from './ledger/restart.ts'
import { snapshotCommit } from './ledger/snapshot-commit.ts'
import { peeringBenchmarks } from './peering/benchmarks.ts'
import { advertiseRate } from './rest/advertise-rate.ts'
import { memory } from './rest/memory.ts'
import { providerTold } from './rest/provider-told.ts'
import { reserveLatency } from './rest/reserve-latency.ts'
import { reserveRate } from './rest/reserve-rate.ts'

/** In the order of the table. */
export const benchmarks: readonly Benchmark[] = [
  reserveRate,
  reserveLatency,
  decision,
  advertiseRate,
  providerTold,
  restart,
  snapshotCommit,
  memory,
  agentIdle,
  requestToReserved,
  agentsTold,
  manyAgents,
  capacityMemory,
  capacityCpu,
  kubernetesReserveRate,
  kubernetesReserveLatency,
  kubernetesMadeByHand,
  kubernetesAdvertising,
  kubernetesFailover,
  ...peeringBenchmarks,
]
