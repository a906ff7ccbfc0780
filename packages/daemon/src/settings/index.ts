/**
 * Settings of a daemon: one table gives flags, environment variables, config file and help.
 * `flag-table.ts` has the types and the reading order, `flag-kinds.ts` the types of values,
 * `read-settings.ts` the entry point, `daemon-flags.ts` what every daemon has.
 */
export * from './daemon-flags.ts'
export * from './flag-kinds.ts'
export * from './flag-table.ts'
export * from './read-settings.ts'
