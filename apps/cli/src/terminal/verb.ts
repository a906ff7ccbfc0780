import type { Command } from 'commander'
import type { ExitCode } from './cli-error.ts'
import type { Terminal } from './terminal.ts'

/** Gives a command its flags, its examples and what it does. */
export type Define = (command: Command, terminal: Terminal) => void

export type VerbModule = Readonly<{
  define: Define
  /** Runs instead of what `define` gave the command: a daemon reads its flags itself. */
  run?(argv: readonly string[], terminal: Terminal): Promise<ExitCode>
}>

export type Verb = Readonly<{
  name: string
  summary: string
  group: string
  /** Only the verb that was asked for is loaded: that is what makes the start fast. */
  load(): Promise<VerbModule>
}>

/** Examples under a help text, one to a line. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
}
