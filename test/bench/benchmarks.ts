import { advertiseRate } from './advertise-rate.ts'
import { agentIdle } from './agent-idle.ts'
import { agentsTold } from './agents-told.ts'
import type { Benchmark } from './benchmark.ts'
import { capacityCpu } from './capacity-cpu.ts'
import { capacityMemory } from './capacity-memory.ts'
import { decision } from './decision.ts'
import { kubernetesAdvertising } from './kubernetes/advertising.ts'
import { kubernetesFailover } from './kubernetes/failover.ts'
import { kubernetesMadeByHand } from './kubernetes/made-by-hand.ts'
import { kubernetesReserveLatency } from './kubernetes/reserve-latency.ts'
import { kubernetesReserveRate } from './kubernetes/reserve-rate.ts'
import { manyAgents } from './many-agents.ts'
import { memory } from './memory.ts'
import { peeringBenchmarks } from './peering/benchmarks.ts'
import { providerTold } from './provider-told.ts'
import { requestToReserved } from './request-to-reserved.ts'
import { reserveLatency } from './reserve-latency.ts'
import { reserveRate } from './reserve-rate.ts'
import { restart } from './restart.ts'
import { snapshotCommit } from './snapshot-commit.ts'

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
