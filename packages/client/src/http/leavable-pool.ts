import type { Dispatcher } from 'undici'
import { BrokerUnreachable } from '../communicator/errors.ts'
import { isSilence } from './name-fault.ts'

type Handler = Dispatcher.DispatchHandler

/** Signs of life of one address, on all of its connections. */
export type Pulse = {
  /** Answers that have begun so far. */
  answers: number
  /** A call timed out, and no other call was answered meanwhile. */
  lost(): void
}

export type LeavablePool = ReturnType<typeof createLeavablePool>

type Ports = Readonly<{
  pool: Dispatcher
  origin: string
  /** Its calls change nothing, so they may be sent elsewhere even after they were sent here. */
  isForQuestions: boolean
  pulse: Pulse
}>

/**
 * A pool that calls can leave: a call in a queue, or without a connection, has not been sent.
 *
 *   queued ──▶ connecting ──▶ sent ──▶ answered ──▶ over
 *      └────────────┴── may go elsewhere
 */
export function createLeavablePool({ pool, origin, isForQuestions, pulse }: Ports) {
  const calls = new Set<{ leave(): void }>()
  const { promise: allOver, resolve: endOfAll } = Promise.withResolvers<void>()
  let isLeft = false

  return {
    dispatch(options: Dispatcher.DispatchOptions, handler: Handler): boolean {
      if (!isLeft) return pool.dispatch(options, accompany(handler))
      turnAway(handler)
      return false
    },
    /** Fails the calls that may be sent elsewhere, and waits for the others to end. */
    async leave(): Promise<void> {
      isLeft = true
      for (const call of calls) call.leave()
      if (calls.size === 0) endOfAll()
      await allOver
      // The pool still holds the calls that have left, and would keep connecting for them.
      await pool.destroy()
    },
  }

  function accompany(handler: Handler): Handler {
    let sending: Dispatcher.DispatchController | undefined
    let answersBefore = pulse.answers
    const call = {
      leave() {
        if (sending && isForQuestions) sending.abort(goneSilent(origin))
        if (!sending && finish(call)) turnAway(handler)
      },
    }
    calls.add(call)

    return {
      onRequestStart(controller, context) {
        // It was failed above and may be elsewhere by now: nothing of it must be written here.
        if (!calls.has(call)) return controller.abort(goneSilent(origin, { isUnsent: true }))
        sending = controller
        answersBefore = pulse.answers
        handler.onRequestStart?.(controller, context)
      },
      onResponseStart(...answer) {
        answersBefore = ++pulse.answers
        handler.onResponseStart?.(...answer)
      },
      onResponseData: (...chunk) => handler.onResponseData?.(...chunk),
      onResponseEnd(...end) {
        finish(call)
        handler.onResponseEnd?.(...end)
      },
      onResponseError(controller, thrown) {
        if (!finish(call)) return
        handler.onResponseError?.(controller, thrown)
        // Not at once: the pool is just removing this call.
        if (isSilence(thrown) && pulse.answers === answersBefore) queueMicrotask(pulse.lost)
      },
    }
  }

  /** Whether it was still under way. */
  function finish(call: { leave(): void }): boolean {
    const wasUnderWay = calls.delete(call)
    if (isLeft && calls.size === 0) endOfAll()
    return wasUnderWay
  }

  function turnAway(handler: Handler): void {
    // There is no controller before a call is sent; the pool itself passes null then.
    const none = null as unknown as Dispatcher.DispatchController
    handler.onResponseError?.(none, goneSilent(origin, { isUnsent: true }))
  }
}

function goneSilent(origin: string, { isUnsent = false } = {}): BrokerUnreachable {
  return new BrokerUnreachable(`The broker at ${origin} has stopped answering.`, { isUnsent })
}
