export { daemonFlags } from './daemon-flags.ts'
export {
  type BindAddress,
  bad,
  bindAddress,
  clusterList,
  currency,
  duration,
  good,
  isClusterId,
  type ListSource,
  oneOf,
  onOff,
  someOf,
  splitList,
  text,
  weights,
  wholeNumber,
} from './flag-kinds.ts'
export {
  envNameOf,
  type Flag,
  type FlagInput,
  type FlagKind,
  type FlagReading,
  type FlagTable,
  type FlagValues,
  isSwitch,
  type Parsed,
  readFlags,
} from './flag-table.ts'
export { type ConfiguredTable, readSettings } from './read-settings.ts'
