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
export { anAdvertisement, aRequest } from './builders.ts'
export { makeTestCertificates, type TestCertificates } from './certificates/certificates.ts'
export { type Chance, createChance } from './chance.ts'
export {
  type BrokerOptions,
  type Client,
  prepareBroker,
  repositoryRoot,
  startBroker,
  type TestBroker,
} from './processes/broker-process.ts'
export { type Child, type Exit, startChild } from './processes/child.ts'
export { fetchAnew } from './processes/fetch-anew.ts'
export { quietPorts } from './processes/quiet-ports.ts'
export {
  createRawCaller,
  type RawCaller,
  type RawOptions,
  type RawReply,
  type RawRequest,
  readReply,
} from './processes/raw-caller.ts'
export { createSmallDisk, type SmallDisk } from './processes/small-disk.ts'
export { eventually } from './time/eventually.ts'
