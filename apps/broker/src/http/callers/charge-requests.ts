import type { IncomingMessage, ServerResponse } from 'node:http'
import { BODY_BYTES_MAX, errorCodes } from '@bourse/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  answerTokens,
  type CallerLoad,
  type FairShare,
  LARGE_BODY_BYTES,
  type Refused,
  refusedSentence,
  requestTokens,
  type Timed,
  TOKENS_PER_MS,
} from '../../fair-share/index.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { bodyBytesOf, chargedBytes, dropTheRest, largeBytes, UNKNOWN } from './body-bytes.ts'
import { type Caller, knownCaller } from './caller.ts'
import { isBytes, LONG_ANSWER_BYTES } from './long-answers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose work this is; null before it began, while it waits for news, and when it is done. */
    load: CallerLoad | null
    /** Of a large body, as long as it counts. */
    heldBytes: number
  }
}

type Done = (error?: Error) => void
type Parsing<T> = Readonly<{ read(): T; use(body: T): void }>
export type Charging = ReturnType<typeof chargeRequests>

export const OVERLOAD_RETRY_SECONDS = 1
const LARGE_REFUSAL_WEIGHT = 5
const LARGEST_BODY_TOKENS = requestTokens({ bodyBytes: BODY_BYTES_MAX })
const ORDINARY_KINDS = 8
const KINDS_PER_TOKEN = 2

/** An operator with the name of a cluster has an account of its own. */
export function accountOf({ id, isOperator }: Caller): string {
  return isOperator ? `operator:${id}` : id
}

/** All those whose certificate is no longer good share one account. */
export const UNADMITTED: Caller = { id: ':unadmitted', isOperator: false }

/** The account to charge; `identify` throws a BrokerError if the caller is not admitted. */
export function accountBehind(identify: () => Caller): string {
  return accountOf(callerBehind(identify))
}

export function callerBehind(identify: () => Caller): Caller {
  try {
    return identify()
  } catch (refusal) {
    if (refusal instanceof BrokerError) return UNADMITTED
    throw refusal
  }
}

/** Charges each request what it takes, and lets no caller have more than its share under way. */
export function chargeRequests(server: FastifyInstance, share: FairShare) {
  const { rate, loads, line } = share
  server.decorateRequest('load', null)
  server.decorateRequest('heldBytes', 0)
  server.addHook('onSend', (request, reply, payload, done) => {
    end(request, reply, payload)
    done(null, payload)
  })
  return { begin, leave, park, unpark, parse, heavy, chargeKinds }

  /** Calls back when the request may go on, or with why it may not; perhaps later. */
  function begin(request: FastifyRequest, caller: Caller, done: Done): void {
    const bytes = bodyBytesOf(request.raw)
    const account = accountOf(caller)
    const load = loads.of(account)
    const obstacle = obstacleTo(request.raw, { caller, load, bytes })
    const tooMuch = obstacle ? undefined : whyTooMuch(request.raw, bytes)
    if (obstacle) refuse(request, { ...obstacle, account, done })
    else if (tooMuch) done(tooMuch)
    else admit(request, { load, large: largeBytes(bytes), done })
  }

  type Arrival = Readonly<{ caller: Caller; load: CallerLoad; bytes: number }>
  type Obstacle = Readonly<{ why: Refused; waitSeconds: number }>

  /** Takes the price of what it lets through. */
  function obstacleTo(
    request: IncomingMessage,
    { caller, load, bytes }: Arrival,
  ): Obstacle | undefined {
    const waitSeconds = rate.take(load.caller, priceOf(request, bytes))
    if (waitSeconds !== undefined) return { why: 'rate', waitSeconds }
    const untilWriting = untilBudget(request, caller, share.journal)
    if (untilWriting !== undefined) return { why: 'journal', waitSeconds: untilWriting }
    const why = loads.overload(load, largeBytes(bytes))
    return why && { why, waitSeconds: OVERLOAD_RETRY_SECONDS }
  }

  type Admitted = Readonly<{ load: CallerLoad; large: number; done: Done }>

  function admit(request: FastifyRequest, { load, large, done }: Admitted): void {
    if (large > 0) {
      loads.hold(load, large)
      request.heldBytes = large
    }
    if (loads.hasBegun(load)) {
      request.load = load
      done()
    } else
      loads.wait(load, () => {
        request.load = load
        // Of a caller that has gone: its body would be waited for without end.
        if (request.raw.destroyed) leave(request)
        else done()
      })
  }

  type Refusal = Obstacle & Readonly<{ account: string; done: Done }>

  function refuse(request: FastifyRequest, { account, why, waitSeconds, done }: Refusal): void {
    share.refused[why] += 1
    const { socket } = request.raw
    const isSocket = typeof socket.pause === 'function'
    const tell = () => {
      if (isSocket) socket.resume()
      done(rateLimited(account, why, waitSeconds))
    }
    // What is sent meanwhile stays where it is, in the network.
    const hold = () => void (isSocket && socket.pause())
    // What is refused has still to be read, and dropped.
    const weight = largeBytes(bodyBytesOf(request.raw)) > 0 ? LARGE_REFUSAL_WEIGHT : 1
    const refusal = { tell, hold, weight, isGone: () => socket.destroyed }
    if (share.refusals.refuse(account, refusal)) return
    if (isSocket) request.raw.destroy()
    else tell()
  }

  function end(request: FastifyRequest, { raw }: FastifyReply, payload: unknown): void {
    const { load } = request
    if (request.raw.complete === false) endEarly(request, raw.statusCode)
    if (load === null) return
    leave(request)
    const bytes = isBytes(payload) ? payload.length : 0
    const tokens = answerTokens(bytes)
    if (tokens === 0) return
    rate.spend(load.caller, tokens)
    if (bytes > LONG_ANSWER_BYTES) keepUntilRead(raw, load, bytes)
  }

  /** It is answered before its body is here, which may never end. */
  function endEarly(request: FastifyRequest, status: number): void {
    const { raw, load } = request
    const bytes = bodyBytesOf(raw)
    if (bytes >= 0 && bytes <= BODY_BYTES_MAX) return
    // It is not known how much of it has arrived.
    if (load && bytes === UNKNOWN) rate.spend(load.caller, LARGEST_BODY_TOKENS)
    dropTheRest(raw, status === errorCodes.BodyTooLarge.status)
  }

  /** For what is answered without fastify, and for what ends. */
  function leave(request: FastifyRequest): void {
    const { load, heldBytes } = request
    if (load === null) return
    request.load = null
    request.heldBytes = 0
    if (heldBytes > 0) loads.hold(load, -heldBytes)
    loads.leave(load)
  }

  function keepUntilRead(response: ServerResponse, load: CallerLoad, bytes: number): void {
    // Its connection is closed already, so no further event will report it.
    if (response.destroyed) return
    let isKept = true
    loads.keepUnread(load, bytes)
    const letGo = () => {
      if (isKept) loads.keepUnread(load, -bytes)
      isKept = false
    }
    response.once('finish', letGo)
    response.once('close', letGo)
  }

  /** A request that waits for news is no work. */
  function park(request: FastifyRequest): void {
    const { load } = request
    if (load === null) return
    request.load = null
    loads.leave(load)
  }

  /** There is news: it is work again, and costs as much as asking did. */
  function unpark(request: FastifyRequest): Promise<void> | undefined {
    const account = accountOf(knownCaller(request))
    const load = loads.of(account)
    rate.spend(account, 1)
    if (loads.hasBegun(load)) {
      request.load = load
      return undefined
    }
    return new Promise((resolve) => {
      loads.wait(load, () => {
        request.load = load
        resolve()
      })
    })
  }

  /** Small bodies at once; large ones when it is their caller's turn, and used in another turn. */
  function parse<T>(request: FastifyRequest, length: number, body: Parsing<T>): void {
    const account = request.load?.caller ?? ''
    const price = requestTokens({ bodyBytes: length })
    const prepaid = bodyBytesOf(request.raw) === UNKNOWN ? 0 : price
    if (prepaid === 0) rate.spend(account, price - 1)
    const halfMs = prepaid / TOKENS_PER_MS / 2
    const inTurn = <R>(job: () => R) => line.run(account, (timed) => timed(job), halfMs)
    if (length <= LARGE_BODY_BYTES) body.use(body.read())
    else void inTurn(body.read).then((value) => inTurn(() => body.use(value)))
  }

  /** Work of milliseconds, in turn; not for a caller that does not read what it is sent. */
  function heavy<T>(request: FastifyRequest, job: (timed: Timed) => T | Promise<T>): Promise<T> {
    const account = accountOf(knownCaller(request))
    return line.run(account, (timed) => {
      if (request.raw.socket.destroyed) throw new BrokerError('RequestTimeout', CALLER_GONE)
      if (loads.overload(loads.of(account), 0) !== 'unread') return job(timed)
      share.refused.unread += 1
      throw rateLimited(account, 'unread', OVERLOAD_RETRY_SECONDS)
    })
  }

  /** To decide on many kinds of resources takes as many comparisons on each cluster. */
  function chargeKinds({ load }: FastifyRequest, wanted: object): void {
    let kinds = -ORDINARY_KINDS
    for (const _name in wanted) kinds += 1
    if (kinds > 0 && load) rate.spend(load.caller, kinds / KINDS_PER_TOKEN)
  }
}

/** To give back what it has is always allowed, by the id that it was given for it. */
function untilBudget(
  { method, url = '' }: IncomingMessage,
  { id, isOperator }: Caller,
  { waitSeconds }: FairShare['journal'],
): number | undefined {
  if (isOperator) return undefined
  if (method === 'POST' || method === 'PUT') return waitSeconds(id)
  // By request id: a caller can invent any number of those.
  return method === 'DELETE' && url.includes('?') ? waitSeconds(id, 'release') : undefined
}

export function rateLimited(account: string, why: Refused, retryAfterSeconds: number): BrokerError {
  return new BrokerError('RateLimited', refusedSentence(account, why), { retryAfterSeconds })
}

function priceOf({ rawHeaders, url = '' }: IncomingMessage, bytes: number): number {
  return requestTokens({
    bodyBytes: chargedBytes(bytes),
    headerParts: rawHeaders.length,
    addressLength: url.length,
  })
}

/** Before anything of it is read. */
function whyTooMuch({ method }: IncomingMessage, bytes: number): BrokerError | undefined {
  if (bytes > BODY_BYTES_MAX) return new BrokerError('BodyTooLarge', BODY_TOO_LARGE)
  const isQuestion = method === 'GET' || method === 'HEAD'
  if (isQuestion && bytes === UNKNOWN)
    return new BrokerError('BodyTooLarge', `A ${method} has no body: leave it out.`)
  return undefined
}

const CALLER_GONE = 'The caller went away before its request was answered.'
export const BODY_TOO_LARGE = `The body is larger than ${BODY_BYTES_MAX / 1024} KiB.`
