import type { Command, Option } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'
import type { Define, Verb } from '../terminal/verb.ts'

/** The command line that is completed. */
export type CommandLine = Readonly<{
  verbs: readonly Verb[]
  createProgram(terminal: Terminal, loaded?: { name: string; define: Define }): Command
}>

/** What a shell offers of a flag: its names, and its values where there are few. */
type FlagWords = Readonly<{
  names: readonly string[]
  summary: string
  choices: readonly string[]
  takesValue: boolean
}>

/** What can be typed at one place: `path` is the words before, beginning with `bourse`. */
export type Place = Readonly<{
  path: string
  verbs: readonly Readonly<{ name: string; summary: string }>[]
  flags: readonly FlagWords[]
  /** The values of its argument, where there are few. */
  choices: readonly string[]
}>

/** Every place of the command tree, with all verbs loaded. */
export async function readPlaces(
  { verbs, createProgram }: CommandLine,
  terminal: Terminal,
): Promise<readonly Place[]> {
  const [root] = placesOf(createProgram(terminal))
  const places = root ? [root] : []
  for (const verb of verbs) {
    const { define } = await verb.load()
    const program = createProgram(terminal, { name: verb.name, define })
    const command = program.commands.find((one) => one.name() === verb.name)
    if (command) places.push(...placesOf(command, 'bourse '))
  }
  return places
}

function placesOf(command: Command, above = ''): Place[] {
  const path = above + command.name()
  const place = {
    path,
    verbs: command.commands.map((child) => ({ name: child.name(), summary: child.description() })),
    flags: command.options.map(flagOf),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }
  return [place, ...command.commands.flatMap((child) => placesOf(child, `${path} `))]
}

function flagOf(option: Option): FlagWords {
  const names = [option.short, option.long].filter((name) => name !== undefined)
  return {
    names,
    summary: option.description,
    choices: option.argChoices ?? [],
    takesValue: option.required || option.optional,
  }
}

/** A pattern of `case` in bash and zsh: the paths that lead to another place. */
export function deeperPaths(places: readonly Place[]): string {
  const deeper = places.filter(({ path }) => path !== 'bourse')
  return deeper.map(({ path }) => `"${path}"`).join('|')
}

/** A branch of `case` in bash and zsh for each flag that takes a value. */
export function valueCases(places: readonly Place[], offer: (choices: string) => string): string {
  const cases = places.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices }) => {
        const patterns = names.map((name) => `"${path} ${name}"`)
        return `    ${patterns.join('|')}) ${offer(choices.join(' '))} ;;`
      }),
  )
  return cases.join('\n')
}
