import type { StreamEvent } from '@bourse/contract'
import type { EventOptions } from '../communicator/broker-console.ts'
import { BadAnswer, BrokerUnreachable } from '../communicator/errors.ts'
import { pause } from '../communicator/long-poll.ts'
import { type Clock, isPassing, pauseAfter, WITHOUT_END } from '../communicator/retry.ts'

type Ports = {
  /** One connection, starting after an index; without one, after that which it answers. */
  connect(after: string | undefined, signal: AbortSignal): Promise<Connected>
  name(thrown: unknown): Error
  clock: Clock
}

type Connected = Readonly<{ chunks: AsyncIterable<string>; index: string | undefined }>

/** Changes as they happen; resumes after the last event when the connection breaks. */
export async function* streamEvents(
  options: EventOptions,
  ports: Ports,
): AsyncGenerator<StreamEvent> {
  const { signal } = options
  let last = options.after === undefined ? undefined : String(options.after)
  let troubles = 0
  while (!signal.aborted) {
    let fault: Error
    try {
      const { chunks, index } = await ports.connect(last, signal)
      // Else what is committed while a quiet stream is broken would be missed.
      if (options.last === undefined) last ??= index
      for await (const event of readEvents(chunks)) {
        troubles = 0
        last = event.id ?? last
        // The broker validates its events; a broken line throws and is named below.
        yield JSON.parse(event.data) as StreamEvent
      }
      fault = new BrokerUnreachable('The broker ended the event stream.')
    } catch (thrown) {
      fault = ports.name(thrown)
    }
    if (signal.aborted) return
    if (!isPassing(fault)) throw fault
    const pauseMs = pauseAfter(++troubles, fault, { policy: WITHOUT_END, ...ports.clock })
    options.onTrouble?.(fault, pauseMs)
    await pause(ports.clock, pauseMs, signal)
  }
}

type ServerSentEvent = Readonly<{ id?: string; event?: string; data: string }>

const EVENT_CHARS_MAX = 4 * 1024 * 1024

/** Parses server-sent events from chunks of text. */
async function* readEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
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
