import type { Command } from 'commander'
import type { ExitCode } from './cli-error.ts'
import type { Terminal } from './terminal.ts'

/** Gives a command its flags, its examples and what it does. */
export type Define = (command: Command, terminal: Terminal) => void

/** What a shell offers of a flag: its names, and its values where there are few. */
export type FlagWords = Readonly<{
  names: readonly string[]
  summary: string
  choices: readonly string[]
  takesValue: boolean
}>

/** A verb that reads its arguments by a table of its own. */
export type Takeover = {
  takeOver(argv: readonly string[], terminal: Terminal): Promise<ExitCode>
  /** For completion. */
  flags(): readonly FlagWords[]
}

type VerbModule = Readonly<{ define: Define } | { takeover: Takeover }>

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
