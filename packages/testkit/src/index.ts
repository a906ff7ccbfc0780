/**
 * What tests and benchmarks start and look at.
 *
 * - `processes/`: brokers and other programs as real processes. `certificates/`: theirs.
 * - `control-plane/`: a real Kubernetes control plane. `liqo/`: Liqo on two of them.
 * - `federation/`: a broker with agents. `leadership/`: several brokers of one ledger.
 * - `scripted/`: fake servers that misbehave on purpose. `time/`: a clock that tests step.
 *
 * Start with `startBroker`, `useControlPlane` or `startFederation`.
 */
export * from './builders.ts'
export * from './certificates/certificates.ts'
export * from './chance.ts'
export * from './processes/broker-process.ts'
export * from './processes/child.ts'
export { fetchAnew } from './processes/probe.ts'
export * from './processes/quiet-ports.ts'
export * from './processes/raw-caller.ts'
export * from './time/eventually.ts'
