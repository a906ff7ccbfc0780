import { BadAnswer } from '../communicator/errors.ts'

export type ServerSentEvent = Readonly<{ id?: string; event?: string; data: string }>

const EVENT_CHARS_MAX = 4 * 1024 * 1024

/** Parses server-sent events from chunks of text. */
export async function* readEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let rest = ''
  let fields: Record<string, string> = {}
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r?\n/)
    rest = lines.pop() ?? ''
    if (rest.length > EVENT_CHARS_MAX)
      throw new BadAnswer('The event stream sent a line that does not end.')
    for (const line of lines) {
      if (line !== '') fields = withField(fields, line)
      else {
        const { data, ...rest } = fields
        fields = {}
        if (data !== undefined) yield { data, ...rest }
      }
    }
  }
}

/** `field: value`; several data lines are joined; a line that starts with a colon is a heartbeat. */
function withField(fields: Record<string, string>, line: string): Record<string, string> {
  const colon = line.indexOf(':')
  if (colon === 0) return fields
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
  const before = fields[name]
  return {
    ...fields,
    [name]: name === 'data' && before !== undefined ? `${before}\n${value}` : value,
  }
}
