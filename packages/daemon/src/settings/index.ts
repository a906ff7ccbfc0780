/**
 * Settings of a daemon: one table gives flags, environment variables, config file and help.
 * `flag-table.ts` has the types and the reading order, `flag-kinds.ts` the types of values,
 * `read-settings.ts` the entry point, `daemon-flags.ts` what every daemon has.
 */
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
  flagsUnder,
  isSwitch,
  type Parsed,
  readFlags,
} from './flag-table.ts'
export { type ConfiguredTable, readSettings } from './read-settings.ts'
