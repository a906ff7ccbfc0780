import { printableLines } from '@bourse/contract/printable'
import { CliError, ExitCode } from './terminal/cli-error.ts'
import { openTerminal, type Terminal } from './terminal/terminal.ts'
import { verbs } from './verbs.ts'

/** One call of `bourse`, from its arguments to its exit code. */
export async function run(
  argv: readonly string[],
  terminal: Terminal = openTerminal(process),
): Promise<ExitCode> {
  try {
    return await dispatch(rewritten(argv), terminal)
  } catch (thrown) {
    return report(thrown, terminal)
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name = '', ...rest] = argv
  const verb = verbs.find((one) => one.name === name)
  if (!verb && !name.startsWith('-')) throw await noSuchVerb(name, terminal)
  const module = await verb?.load()
  const isHelp = rest.some((argument) => /^(-h|--?help)$/.test(argument))
  if (module?.run && !isHelp) return module.run(rest, terminal)
  // Commander takes 8 MB, so a daemon never loads it.
  const { createProgram } = await import('./program.ts')
  const program = createProgram(terminal, module && { name, define: module.define })
  await program.parseAsync(module?.run ? [name, '--help'] : argv, { from: 'user' })
  return ExitCode.ok
}

async function noSuchVerb(name: string, terminal: Terminal): Promise<CliError> {
  const { meantVerbs } = await import('./meant-verbs.ts')
  const { typedCommand } = await import('./connection/typed-command.ts')
  const all = `\`${typedCommand(['--help'], {}, terminal)}\` lists all verbs.`
  const meant = meantVerbs(
    name,
    verbs.map((verb) => verb.name),
  ).join(' or ')
  return new CliError(
    ExitCode.usage,
    `There is no verb ${name}.`,
    meant === '' ? all : `Did you mean ${meant}? ${all}`,
  )
}

/** Other spellings: `help reserve`, `--version`, and no arguments. */
function rewritten(argv: readonly string[]): readonly string[] {
  const [first, second] = argv
  if (first === undefined) return ['--help']
  if (first === 'help') return second === undefined ? ['--help'] : [second, '--help']
  return first === '--version' || first === '-V' ? ['version'] : argv
}

async function report(thrown: unknown, terminal: Terminal): Promise<ExitCode> {
  if (isCommanders(thrown))
    // Commander has already printed its message; help and version end with 0.
    return thrown.exitCode === 0 ? ExitCode.ok : ExitCode.usage
  // Loaded only now: it imports the client with all of its transport.
  const { reportOf } = await import('./terminal/fault-report.ts')
  const { typedHint } = await import('./connection/typed-command.ts')
  const { exitCode, what, next } = reportOf(thrown)
  // The text may come from a broker.
  terminal.note(`bourse: ${typedHint(printableLines(what), terminal)}`)
  if (next) terminal.note(typedHint(next, terminal))
  if (terminal.env.BOURSE_DEBUG && thrown instanceof Error) terminal.note(thrown.stack ?? '')
  return exitCode
}

/** By its code, so that commander need not be loaded. */
function isCommanders(thrown: unknown): thrown is Error & { exitCode: number } {
  if (!(thrown instanceof Error && 'code' in thrown && 'exitCode' in thrown)) return false
  return String(thrown.code).startsWith('commander.')
}
