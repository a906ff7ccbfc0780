import { nearestName } from './nearest-name.ts'

export type Parsed<T> =
  | Readonly<{ kind: 'good'; value: T }>
  /** `allowed` completes the sentence "… is not allowed: use …". */
  | Readonly<{ kind: 'bad'; allowed: string }>

/** A type of value: its placeholder and its parser. */
export type FlagKind<T> = Readonly<{
  /** The placeholder in help texts; empty for switches, which may stand without a value. */
  placeholder: string
  /** All values, where there are few. */
  choices?: readonly string[]
  parse(text: string): Parsed<T>
}>

/** One setting: a flag, an environment variable and a key of the config file at once. */
export type Flag<T = unknown> = Readonly<{
  name: string
  kind: FlagKind<T>
  /** As a user would write it, so that help and parsing agree. */
  default?: string
  help: string
  example?: string
  /** Its heading in help texts. */
  group: string
  /** Only if BOURSE_<NAME> is taken by another flag. */
  env?: string
}>

export type FlagTable = Readonly<Record<string, Flag>>

type Ungrouped = Readonly<Record<string, Omit<Flag, 'group'>>>

/** Gives all flags of a table the same heading. */
export function inGroup<const Table extends Ungrouped>(group: string, table: Table) {
  const grouped = Object.entries(table).map(([key, flag]) => [key, { ...flag, group }])
  // The same keys; the compiler cannot follow the loop.
  return Object.fromEntries(grouped) as { [Key in keyof Table]: Table[Key] & { group: string } }
}

export type FlagValues<Table extends FlagTable> = {
  readonly [Key in keyof Table]: Table[Key] extends { kind: FlagKind<infer T> }
    ? Table[Key] extends { default: string }
      ? T
      : T | undefined
    : never
}

type Source = 'flag' | 'environment' | 'file' | 'default'

export type FlagInput = Readonly<{
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Keys of the config file, already turned into text; see `config-file.ts`. */
  file?: Readonly<{ path: string; entries: ReadonlyMap<string, string> }>
}>

export type FlagReading<Table extends FlagTable> =
  | Readonly<{
      kind: 'values'
      values: FlagValues<Table>
      sources: Readonly<Record<keyof Table, Source>>
    }>
  | Readonly<{ kind: 'bad'; problems: readonly string[] }>

type Given = Readonly<{ text: string; source: Source; writtenAs: string }>

/** Reads every flag of a table: flag before environment before file before default. */
export function readFlags<Table extends FlagTable>(
  table: Table,
  input: FlagInput,
): FlagReading<Table> {
  const argv = readArguments(table, input.argv)
  const problems = [...argv.problems, ...unknownKeys(table, input.file)]
  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  for (const [key, flag] of Object.entries(table)) {
    const given = givenFor(flag, argv.given, input)
    sources[key] = given?.source ?? 'default'
    if (!given) continue
    const parsed = flag.kind.parse(given.text)
    if (parsed.kind === 'good') values[key] = parsed.value
    else problems.push(problemWith(given, parsed.allowed))
  }
  if (problems.length > 0) return { kind: 'bad', problems }
  // Each value was parsed by its own flag's kind; the compiler cannot follow the loop.
  return { kind: 'values', values, sources } as FlagReading<Table>
}

export function envNameOf(flag: Flag): string {
  return flag.env ?? `BOURSE_${flag.name.toUpperCase().replaceAll('-', '_')}`
}

export function isSwitch(flag: Flag): boolean {
  return flag.kind.placeholder === ''
}

/** Takes `--name=value`, `--name value`, `--switch` and Go's single dash. The last one wins. */
function readArguments(
  table: FlagTable,
  argv: readonly string[],
): { given: ReadonlyMap<string, string>; problems: readonly string[] } {
  const byName = new Map(Object.values(table).map((flag) => [flag.name, flag]))
  const given = new Map<string, string>()
  const problems: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? ''
    const match = /^--?([A-Za-z][^=]*)(?:=(.*))?$/s.exec(argument)
    const name = match?.[1] ?? ''
    const flag = byName.get(name)
    if (!flag) problems.push(unknownFlagProblem(argument, name, byName))
    else if (match?.[2] !== undefined) given.set(name, match[2])
    else if (isSwitch(flag)) given.set(name, 'true')
    else if (at + 1 < argv.length) given.set(name, argv[++at] ?? '')
    else problems.push(`--${name} needs a value: --${name}=${flag.kind.placeholder}.`)
  }
  return { given, problems }
}

function givenFor(
  flag: Flag,
  argv: ReadonlyMap<string, string>,
  { env, file }: FlagInput,
): Given | undefined {
  const fromArgv = argv.get(flag.name)
  if (fromArgv !== undefined) return { text: fromArgv, source: 'flag', writtenAs: `--${flag.name}` }
  const envName = envNameOf(flag)
  const fromEnv = env[envName]
  // In shells and manifests an empty variable means "not set".
  if (fromEnv !== undefined && fromEnv !== '')
    return { text: fromEnv, source: 'environment', writtenAs: envName }
  const fromFile = file?.entries.get(flag.name)
  if (file && fromFile !== undefined)
    return { text: fromFile, source: 'file', writtenAs: `${flag.name} in ${file.path}` }
  if (flag.default === undefined) return undefined
  return { text: flag.default, source: 'default', writtenAs: `--${flag.name}` }
}

function problemWith({ writtenAs, text }: Given, allowed: string): string {
  return `${writtenAs} is ${JSON.stringify(text)}, which is not allowed: use ${allowed}.`
}

function unknownFlagProblem(
  argument: string,
  name: string,
  byName: ReadonlyMap<string, Flag>,
): string {
  if (name === '')
    return `${JSON.stringify(argument)} is not a flag: settings are written --name=value.`
  return `There is no flag --${name}.${suggestion(name, [...byName.keys()], '--')}`
}

function unknownKeys(table: FlagTable, file: FlagInput['file']): string[] {
  if (!file) return []
  const names = Object.values(table).map((flag) => flag.name)
  return [...file.entries.keys()]
    .filter((key) => !names.includes(key))
    .map((key) => `${file.path} has an unknown key ${key}.${suggestion(key, names, '')}`)
}

function suggestion(name: string, names: readonly string[], prefix: string): string {
  const nearest = nearestName(name, names)
  return nearest ? ` Did you mean ${prefix}${nearest}?` : ' See --help for all flags.'
}
