import type { Kind, KubeObject } from '../objects/objects.ts'
import { listPath, withQuery } from './addresses.ts'
import { ignoring, isGone } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { ListOptions, Page } from './kube-client.ts'

type ListBody<T> = Readonly<{
  items?: readonly T[]
  metadata: Readonly<{ resourceVersion: string; continue?: string }>
}>

const PAGE_ITEMS_MAX = 500
/** The first page shows how large the items are; later pages are sized by that. */
const FIRST_PAGE_ITEMS = 100
const PAGE_BYTES_WANTED = 2 * 1024 * 1024
/** A list that expires more often than this is read in one page, however large. */
const RESTARTS_MAX = 3

/** All pages. A list that expires while it is read restarts with a first page. */
export async function* readPages<T extends KubeObject>(
  exchange: Exchange,
  kind: Kind,
  { namespace, labelSelector, fieldSelector, limit, ...call }: ListOptions,
): AsyncGenerator<Page<T>> {
  const path = listPath(kind, namespace)
  const itemsMax = limit ?? PAGE_ITEMS_MAX
  let pageItems: number | undefined = Math.min(itemsMax, FIRST_PAGE_ITEMS)
  let token: string | undefined
  let restarts = 0
  for (;;) {
    const query = { labelSelector, fieldSelector, limit: pageItems, continue: token }
    const asked = exchange.ask<ListBody<T>>({ method: 'GET', path: withQuery(path, query) }, call)
    const isFirst = token === undefined
    const reply = await (isFirst ? asked : ignoring(isGone, asked))
    if (reply === undefined) {
      token = undefined
      if (++restarts > RESTARTS_MAX) pageItems = undefined
      continue
    }
    const { items = [], metadata } = reply.body
    yield { items, resourceVersion: metadata.resourceVersion, isFirst }
    token = metadata.continue || undefined
    if (token === undefined) return
    pageItems = itemsToAskFor(reply.bytes / Math.max(1, items.length), itemsMax)
  }
}

function itemsToAskFor(bytesEach: number, itemsMax: number): number {
  return Math.max(1, Math.min(itemsMax, Math.floor(PAGE_BYTES_WANTED / bytesEach)))
}
