import { Option } from 'commander'
import { createPaint, type Paint } from './colours.ts'
import type { Terminal } from './terminal.ts'

const OUTPUTS = ['table', 'wide', 'json', 'yaml'] as const
export type Output = (typeof OUTPUTS)[number]

export function isForPeople(output: Output): boolean {
  return output === 'table' || output === 'wide'
}

/** How a value looks to people: a function of what to paint with and how much room there is. */
export type View = (look: { paint: Paint; isWide: boolean; now: number }) => string

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print the answer')
    .choices([...OUTPUTS])
    .default('table')
}

/** Prints an answer: the data as it came over the wire, or the view for people. */
export async function show(
  terminal: Terminal,
  output: Output,
  answer: { data: unknown; view: View },
): Promise<void> {
  if (output === 'json') terminal.out(JSON.stringify(answer.data, null, 2))
  else if (output === 'yaml') terminal.out(await toYaml(answer.data))
  else {
    const paint = createPaint(terminal.isColourful)
    terminal.out(answer.view({ paint, isWide: output === 'wide', now: terminal.now() }))
  }
}

/** One line for each item of a stream; a program gets JSON lines or YAML documents. */
export async function showNext(
  terminal: Terminal,
  output: Output,
  answer: { data: unknown; view: View },
): Promise<void> {
  if (output === 'json') terminal.out(JSON.stringify(answer.data))
  else if (output === 'yaml') terminal.out(`---\n${await toYaml(answer.data)}`)
  else await show(terminal, output, answer)
}

async function toYaml(data: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(data).trimEnd()
}
