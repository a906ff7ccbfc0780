import { readFile } from 'node:fs/promises'
import type { Head } from '../journal/journal.ts'
import { nothingThere, replaceFile } from '../journal/store-notes.ts'
import { StoreUnusable } from '../journal/store-unusable.ts'

/** How far a ledger was, written where a copy of its store does not reach. */
type Anchored = Readonly<{ ledgerId: string; index: number; hash: string }>

export type Anchor = Awaited<ReturnType<typeof openAnchor>>

type Ports = Readonly<{
  ledgerId: string
  head(): Head
  onTrouble(cause: Error): void
  everyMs?: number
}>

/** Between two writes; so much may be missing without being noticed at a start. */
const WRITE_EVERY_MS = 2_000

/** --anchor: a file on another volume, written every few seconds and compared at each start. */
export async function openAnchor(path: string) {
  const anchored = await readAnchor(path)
  let written = anchored

  return { anchored: () => anchored, start }

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
      writing ??= replaceFile(path, `${JSON.stringify(next)}\n`)
        .then(
          () => {
            written = next
            fault = undefined
          },
          (cause: Error) => {
            // Once for each reason: it is tried again in a moment.
            if (cause.message !== fault) onTrouble(cause)
            fault = cause.message
          },
        )
        .finally(() => {
          writing = undefined
        })
      return writing
    }
  }
}

async function readAnchor(path: string): Promise<Anchored | undefined> {
  const text = await readFile(path, 'utf8').catch(nothingThere)
  if (text === undefined) return undefined
  const read: unknown = await Promise.resolve(text).then(JSON.parse).catch(unreadable(path))
  const { ledgerId, index, hash } = (read ?? {}) as Partial<Anchored>
  if (typeof ledgerId !== 'string' || typeof hash !== 'string' || !Number.isSafeInteger(index))
    return unreadable(path)(new Error('fields are missing'))
  return { ledgerId, index: Number(index), hash }
}

const unreadable =
  (path: string) =>
  (cause: Error): never => {
    throw new StoreUnusable(
      `${path} is not an anchor of a ledger (${cause.message})`,
      'Choose another --anchor, or remove the file once you know that the store is the newest copy',
      { cause },
    )
  }
