import type { Page, PageQuery } from '@bourse/client'
import { PAGE_SIZE_MAX } from '@bourse/contract/limits'

/** Reads page after page up to a limit. `isCut`: there are more. */
export async function readPages<T>(
  limit: number,
  read: (page: PageQuery) => Promise<Page<T>>,
): Promise<{ items: readonly T[]; isCut: boolean }> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const size = Math.min(limit - items.length, PAGE_SIZE_MAX)
    const page = await read({ limit: size, ...(cursor === undefined ? {} : { cursor }) })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined && items.length < limit)
  return { items, isCut: cursor !== undefined }
}
