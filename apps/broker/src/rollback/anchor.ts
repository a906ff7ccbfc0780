import type { Head } from '../store/port/journal.ts'
import { StoreUnusable } from '../store/port/store-errors.ts'
import type { AnchorPlace } from './anchor-place.ts'

/** The head of a ledger, as noted outside its store. */
type Anchored = Readonly<{ ledgerId: string; index: number; hash: string }>

export type Anchor = Awaited<ReturnType<typeof openAnchor>>

type Ports = Readonly<{
  ledgerId: string
  head(): Head
  onTrouble(cause: Error): void
  everyMs?: number
}>

/** A rollback of less than this goes unnoticed at a start. */
const WRITE_EVERY_MS = 2_000

/** --anchor: written every few seconds and compared at each start. */
export async function openAnchor(place: AnchorPlace) {
  const anchored = await readAnchor(place)
  let written = anchored

  return { name: place.name, anchored: () => anchored, start }

  function start({ ledgerId, head, onTrouble, everyMs = WRITE_EVERY_MS }: Ports) {
    let writing: Promise<void> | undefined
    let fault: string | undefined
    const timer = setInterval(write, everyMs).unref()
    void write()
    return {
      trouble: () => fault && `The anchor cannot be written: ${fault}`,
      async stop(): Promise<void> {
        clearInterval(timer)
        await writing
        await write()
      },
    }

    function write(): Promise<void> {
      const { index, hash } = head()
      if (written?.ledgerId === ledgerId && written.index === index) return Promise.resolve()
      const next = { ledgerId, index, hash }
      writing ??= replace(next)
        .then(
          () => {
            written = next
            fault = undefined
          },
          (cause: Error) => {
            // Reported once for each reason: the next write comes in a moment.
            if (cause.message !== fault) onTrouble(cause)
            fault = cause.message
          },
        )
        .finally(() => {
          writing = undefined
        })
      return writing
    }

    /** After a fault another broker may have written: an anchor never goes back. */
    async function replace(next: Anchored): Promise<void> {
      if (fault !== undefined) expectBehind(next, await readAnchor(place))
      await place.write(`${JSON.stringify(next)}\n`)
    }
  }
}

function expectBehind({ ledgerId, index }: Anchored, there: Anchored | undefined): void {
  if (there?.ledgerId === ledgerId && there.index > index)
    throw new Error(`another broker has noted index ${there.index} there`)
}

async function readAnchor(place: AnchorPlace): Promise<Anchored | undefined> {
  const text = await place.read().catch((cause: Error) => {
    throw new StoreUnusable(
      `The anchor ${place.name} cannot be read (${cause.message})`,
      'Only the anchor can tell whether the store is an older copy: make it readable, or remove --anchor',
      { cause },
    )
  })
  if (text === undefined) return undefined
  const read: unknown = await Promise.resolve(text).then(JSON.parse).catch(notAnAnchor(place))
  const { ledgerId, index, hash } = (read ?? {}) as Partial<Anchored>
  if (typeof ledgerId !== 'string' || typeof hash !== 'string' || !Number.isSafeInteger(index))
    return notAnAnchor(place)(new Error('fields are missing'))
  return { ledgerId, index: Number(index), hash }
}

const notAnAnchor =
  ({ name }: AnchorPlace) =>
  (cause: Error): never => {
    throw new StoreUnusable(
      `${name} is not an anchor of a ledger (${cause.message})`,
      'Choose another --anchor, or empty this one if you know that the store is the newest copy',
      { cause },
    )
  }
