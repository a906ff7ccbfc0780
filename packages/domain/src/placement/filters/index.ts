import { accepting } from './accepting-filter.ts'
import type { Filter } from './filter.ts'
import { fits } from './fits-filter.ts'
import { fresh } from './fresh-filter.ts'
import { notTheRequester } from './not-the-requester-filter.ts'
import { oneNode } from './one-node-filter.ts'
import { pinned } from './pinned-filter.ts'

/**
 * The first refusal of a cluster is the one that is shown. `notTheRequester` comes first: the memo
 * leaves it out and `decide` adds it. `fits` and `oneNode` come last: the memo revises no other
 * refusals when holdings change.
 */
export const filters: readonly Filter[] = [notTheRequester, pinned, fresh, accepting, fits, oneNode]
