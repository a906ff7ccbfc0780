export type { AnchorConfig } from './anchor-flag.ts'
export {
  type BrokerConfig,
  type BrokerConfigReading,
  type ElectionConfig,
  readBrokerConfig,
} from './broker-config.ts'
export { brokerFlags } from './broker-flags.ts'
export { adviseOnTakenPort } from './taken-port.ts'
export { type WatchedList, watchList } from './watch-list.ts'
