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
