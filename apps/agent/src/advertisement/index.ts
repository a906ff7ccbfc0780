export {
  type Advertised,
  composeAdvertisement,
  type Described,
} from './compose-advertisement.ts'
export { type Cost, type CostSource, createCostSource } from './cost/index.ts'
export { createLocalAdvertisement, type LocalAdvertisement } from './local-advertisement.ts'
export { createOwnAdvertisement, type OwnAdvertisement } from './own-advertisement.ts'
export { createPublisher, type Publisher, type Publishing } from './publisher.ts'
export { createSharingSource } from './sharing-source.ts'
