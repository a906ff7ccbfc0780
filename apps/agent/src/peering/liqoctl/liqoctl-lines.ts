export type LiqoctlLine = Readonly<{
  level: 'progress' | 'info' | 'warning' | 'error'
  text: string
}>

const LEVELS = { INFO: 'info', WARN: 'warning', ERRO: 'error' } as const
const MARKED = /^(INFO|WARN|ERRO):\s*(?:error: )?(.*)$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with that character.
const COLOUR = /\u001b\[[0-9;?]*[A-Za-z]/g

/** What liqoctl wrote for people: its spinner wipes a line before it writes the next. */
export function liqoctlLines(output: string): readonly LiqoctlLine[] {
  return output
    .replaceAll(COLOUR, '')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(lineOf)
}

function lineOf(line: string): LiqoctlLine {
  const [, mark, text = line] = MARKED.exec(line) ?? []
  // Anything else tells what it is about to do.
  const level = mark === undefined ? 'progress' : LEVELS[mark as keyof typeof LEVELS]
  return { level, text }
}

/** The last thing that went wrong, or else the last thing that was said at all. */
export function lastWords(lines: readonly LiqoctlLine[]): string {
  const wrong = lines.findLast(({ level }) => level === 'error')
  return (wrong ?? lines.at(-1))?.text ?? 'it said nothing'
}
