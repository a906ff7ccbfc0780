import { basename, dirname } from 'node:path'
import type { Terminal } from '../terminal/terminal.ts'
import type { ConnectionFlags } from './settings.ts'

/** A command that can be pasted: it calls the same program, broker and certificate as this one. */
export function typedCommand(
  words: readonly string[],
  { brokerUrl, certPath }: ConnectionFlags,
  { env }: Pick<Terminal, 'env'>,
): string {
  const connection = optionWords({ '--broker-url': brokerUrl, '--cert-path': certPath })
  return [...programOf(env), ...words, ...connection].map(shellWord).join(' ')
}

/** A hint with its commands (`bourse audit`) as they have to be typed here. */
export function typedHint(hint: string, terminal: Pick<Terminal, 'env'>): string {
  return hint.replaceAll('`bourse ', () => `\`${typedCommand([], {}, terminal)} `)
}

/** Help with its usage and examples as they have to be typed: as a plug-in, `kubectl bourse`. */
export function typedHelp(help: string, { env }: Pick<Terminal, 'env'>): string {
  const program = programOf(env).join(' ')
  if (program !== PLUG_IN) return help
  return typedHint(help, { env }).replaceAll(
    /(?<=^(?:Usage:| {2}\$) (?:.*[ (])?)bourse(?= )/gm,
    program,
  )
}

/** Flags with their values; those without a value are left out. */
export function optionWords(options: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  )
}

/** `bourse` where a shell finds it, else the path by which it was called; `kubectl bourse` as its plug-in. */
function programOf({ BOURSE_PROGRAM: path = 'bourse', PATH = '' }: Terminal['env']): string[] {
  if (!PATH.split(':').includes(dirname(path))) return [path]
  return basename(path) === 'kubectl-bourse' ? PLUG_IN.split(' ') : ['bourse']
}

const PLUG_IN = 'kubectl bourse'

/** As a shell has to read it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
