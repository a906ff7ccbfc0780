import { accepting } from './accepting-filter.ts'
import type { Filter } from './filter.ts'
import { fits } from './fits-filter.ts'
import { fresh } from './fresh-filter.ts'
import { notTheRequester } from './not-the-requester-filter.ts'
import { pinned } from './pinned-filter.ts'

/**
 * In the order they are asked: the first refusal is the one that is told. The requester's own comes
 * first, as the memo leaves it out and `decide` puts it in again.
 */
export const filters: readonly Filter[] = [notTheRequester, pinned, fresh, accepting, fits]
