import { accepting } from './accepting.ts'
import type { Filter } from './filter.ts'
import { fits } from './fits.ts'
import { fresh } from './fresh.ts'
import { notTheRequester } from './not-the-requester.ts'
import { pinned } from './pinned.ts'

/** In the order they are asked: the first refusal is the one that is told. */
export const filters: readonly Filter[] = [notTheRequester, pinned, fresh, accepting, fits]
