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
  /** Ids of what it names: the broker is asked for them. */
  ids: IdKind | undefined
  takesValue: boolean
}>

/** What a broker lists; the key is the name of an argument or of a flag's value. */
const ID_KINDS = {
  reservation: 'reservations',
  reservations: 'reservations',
  cluster: 'clusters',
  session: 'peerings',
} as const
export type IdKind = (typeof ID_KINDS)[keyof typeof ID_KINDS]

function idKindOf(name = ''): IdKind | undefined {
  return Object.entries(ID_KINDS).find(([one]) => one === name)?.[1]
}

/** Prints ids, a line each; quietly, since a shell would show a complaint amid what is typed. */
export function idsCommand(program: string, ids: IdKind): string {
  return `$(${program} completion --ids ${ids} 2>/dev/null)`
}

/** What can be typed at one place: `path` is the words before, beginning with `bourse`. */
export type Place = Readonly<{
  path: string
  verbs: readonly Readonly<{ name: string; summary: string }>[]
  flags: readonly FlagWords[]
  /** The values of its argument, where there are few. */
  choices: readonly string[]
  ids: IdKind | undefined
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
    flags: command.options.filter(({ hidden }) => !hidden).map(flagOf),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ids: idKindOf(command.registeredArguments[0]?.name()),
  }
  return [place, ...command.commands.flatMap((child) => placesOf(child, `${path} `))]
}

function flagOf(option: Option): FlagWords {
  const names = [option.short, option.long].filter((name) => name !== undefined)
  return {
    names,
    summary: option.description,
    choices: option.argChoices ?? [],
    ids: idKindOf(/<(.+)>/.exec(option.flags)?.[1]),
    takesValue: option.required || option.optional,
  }
}

/** A pattern of `case` in bash and zsh: the paths that lead to another place. */
export function deeperPaths(places: readonly Place[]): string {
  const deeper = places.filter(({ path }) => path !== 'bourse')
  return deeper.map(({ path }) => `"${path}"`).join('|')
}

/** A branch of `case` in bash and zsh for each flag that takes a value. */
export function valueCases(
  places: readonly Place[],
  program: string,
  offer: (choices: string) => string,
): string {
  const cases = places.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices, ids }) => {
        const patterns = names.map((name) => `"${path} ${name}"`)
        const values = ids ? idsCommand(program, ids) : choices.join(' ')
        return `    ${patterns.join('|')}) ${offer(values)} ;;`
      }),
  )
  return cases.join('\n')
}
