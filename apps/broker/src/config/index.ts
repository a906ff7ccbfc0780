export {
  type BrokerConfig,
  type BrokerConfigReading,
  type ElectionConfig,
  readBrokerConfig,
} from './broker-config.ts'
export { brokerFlags } from './broker-flags.ts'
export { describeFlags } from './flag-help.ts'
export type { BindAddress, ListSource } from './flag-kinds.ts'
export { type Flag, type FlagTable, isSwitch } from './flag-table.ts'
export { type WatchedList, watchList } from './watch-list.ts'
