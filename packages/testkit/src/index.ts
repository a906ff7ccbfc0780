export {
  type BrokerOptions,
  type Client,
  prepareBroker,
  repositoryRoot,
  startBroker,
  type TestBroker,
} from './broker-process.ts'
export { anAdvertisement, aRequest } from './builders.ts'
export { makeTestCertificates, type TestCertificates } from './certificates.ts'
export { type Chance, createChance } from './chance.ts'
export { type Child, type Exit, startChild } from './child.ts'
export { eventually } from './eventually.ts'
export { fetchAnew } from './fetch-anew.ts'
export { quietPorts } from './quiet-ports.ts'
export {
  createRawCaller,
  type RawCaller,
  type RawOptions,
  type RawReply,
  type RawRequest,
  readReply,
} from './raw-caller.ts'
export { createSmallDisk, type SmallDisk } from './small-disk.ts'
