import type { StreamEvent } from '@bourse/contract'
import type { EventOptions } from '../communicator/broker-console.ts'
import { BrokerUnreachable } from '../communicator/errors.ts'
import { pause } from '../communicator/long-poll.ts'
import { type Clock, isPassing, pauseAfter, WITHOUT_END } from '../communicator/retry.ts'
import { readEvents } from './event-lines.ts'

type Ports = {
  /** The chunks of one connection, starting after an index. */
  connect(after: string | undefined, signal: AbortSignal): Promise<AsyncIterable<string>>
  name(thrown: unknown): Error
  clock: Clock
}

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
      for await (const event of readEvents(await ports.connect(last, signal))) {
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
