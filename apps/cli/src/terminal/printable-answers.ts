import { printable, printableLines } from '@bourse/contract/printable'

/** Makes a broker's answers safe to print: a hostile broker must not control the terminal. */
export function printableAnswers<Client extends object>(client: Client): Client {
  return new Proxy(client, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name)
      if (typeof verb !== 'function') return verb
      return (...asked: unknown[]) => madePrintable(verb.apply(target, asked))
    },
  })
}

function madePrintable(answer: unknown): unknown {
  if (answer instanceof Promise) return answer.then(printableData)
  const isStream = typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
  // A stream's items are checked one by one as they come.
  return isStream ? eachPrintable(answer as AsyncIterable<unknown>) : answer
}

async function* eachPrintable(stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const item of stream) yield printableData(item)
}

/** Every text in it, names of fields included. */
function printableData(data: unknown): unknown {
  if (typeof data === 'string') return printable(data)
  if (Array.isArray(data)) return data.map(printableData)
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [printable(name), printableData(value)]),
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
const COLOUR = /(\u001b\[[0-9;]*m)/

/** The last check before the terminal: of control characters only colours and line ends pass. */
export function forTerminal(text: string): string {
  if (!text.includes('\u001b')) return printableLines(text)
  const parts = text.split(COLOUR)
  return parts.map((part, at) => (at % 2 === 1 ? part : printableLines(part))).join('')
}
