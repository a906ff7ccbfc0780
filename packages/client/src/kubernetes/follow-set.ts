import type { Stamp, Waiting, WatchOptions } from '../communicator/broker-communicator.ts'
import { pollLong } from '../communicator/long-poll.ts'
import type { Clock } from '../communicator/retry.ts'
import type { ReservationObject } from './broker-objects.ts'
import { nameKubeFault } from './name-kube-fault.ts'
import type { ReservationSet } from './reservation-set.ts'

type Objects = readonly ReservationObject[]
type Ports<A> = Readonly<{
  set: ReservationSet
  /** Whether this object is a part of the answer. */
  counts(object: ReservationObject): boolean
  tell(objects: Objects, stamp: Stamp): A
  stamp(): Promise<Stamp>
  clock: Clock
  closing: AbortSignal
}>

/**
 * Questions with `after` over a set that is watched. Indexes order answers, but a change may be
 * seen later than one with a higher index: what was told last decides whether there is news.
 */
export function followSet<A extends Stamp>(ports: Ports<A>) {
  const { set, counts, clock, closing } = ports
  const texts = new WeakMap<object, string>()
  /** The caller was told of trouble, and must be told of its end. */
  let isAwaited = false
  let told: Readonly<{ index: number | undefined; text: string }> | undefined

  return { fetch, answer, watch }

  async function fetch({ waitMs, after, signal = closing }: Waiting = {}): Promise<A> {
    const before = textOf(await set.items())
    const isKnown = after === undefined || told?.index === after
    if (waitMs !== undefined && isKnown) {
      const since = after === undefined ? before : told?.text
      const isNews = (objects: Iterable<ReservationObject>) => textOf(objects) !== since
      await set.until((objects) => isNews(objects) || isBack() || undefined, {
        withinMs: waitMs,
        signal: AbortSignal.any([signal, closing]),
      })
    }
    return answer(await set.items())
  }

  async function answer(objects: Objects): Promise<A> {
    const stamp = await ports.stamp()
    const answer = ports.tell(objects.filter(counts), stamp)
    const text = textOf(objects)
    told = { index: stamp.index, text }
    texts.set(answer, text)
    return answer
  }

  async function* watch(options: WatchOptions): AsyncGenerator<A> {
    const { onTrouble } = options
    const tell = (fault: Error) => {
      isAwaited = true
      onTrouble?.(nameKubeFault(fault), 0)
    }
    const end = onTrouble && set.onTrouble(tell)
    let shown: string | undefined
    const isNews = (answer: A) => {
      const isNew = texts.get(answer) !== shown || isBack()
      if (isBack()) isAwaited = false
      shown = texts.get(answer)
      return isNew
    }
    const ask = (waiting: Waiting) => fetch(waiting).catch(rename)
    yield* endingWith(pollLong(ask, options, { clock, isNews }), end)
  }

  function isBack(): boolean {
    return isAwaited && !set.isTroubled()
  }

  /** What is in the answer, and which version of it. */
  function textOf(objects: Iterable<ReservationObject>): string {
    const parts: string[] = []
    for (const object of objects)
      if (counts(object)) parts.push(`${object.metadata.uid} ${object.status?.ledgerIndex}`)
    return parts.sort().join()
  }
}

function rename(thrown: unknown): never {
  throw nameKubeFault(thrown)
}

async function* endingWith<A>(answers: AsyncGenerator<A>, end: (() => void) | undefined) {
  try {
    yield* answers
  } finally {
    end?.()
  }
}
