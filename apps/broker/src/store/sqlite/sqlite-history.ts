import { decodeDecision, decodeEnded } from '../codec/history-codec.ts'
import { rememberedOf, rowsOf } from '../codec/history-rows.ts'
import { requestKey } from '../codec/request-key.ts'
import type { History, PruneLimits } from '../port/history.ts'
import type { StoreCaller } from './sqlite-store.ts'

type Ports = Pick<StoreCaller, 'call'> & Pick<History, 'findsDecisionsInJournal'>

/** The history in the same database as the journal, behind the same thread. */
export function createSqliteHistory({ call, findsDecisionsInJournal = false }: Ports): History {
  return {
    findsDecisionsInJournal,
    record: (batch) => call('record', rowsOf(batch)),
    recordedThrough: async () => (await call('state')).historyThrough,
    requestCount: () => call('requestCount'),
    decision: async ({ id, decidedIndex }) => {
      const text = await call(
        'decisionText',
        id,
        findsDecisionsInJournal ? decidedIndex : undefined,
      )
      return decodeIfAny(text, decodeDecision)
    },
    ended: async (id) => decodeIfAny(await call('endedText', id), decodeEnded),
    listEnded: async (query) => (await call('listEndedTexts', query)).map(decodeEnded),
    request: async (door, requester, requestId) => {
      const key = requestKey({ door, requester, requestId })
      return decodeIfAny(await call('rememberedRequest', key), rememberedOf)
    },
    requestKeys,
    prune,
  }

  async function* requestKeys(): AsyncGenerator<readonly string[]> {
    let keys = await call('requestKeysAfter', '')
    while (keys.length > 0) {
      yield keys
      keys = await call('requestKeysAfter', keys.at(-1) ?? '')
    }
  }

  async function prune(limits: PruneLimits): Promise<void> {
    let cursor = await call('pruneStep', limits)
    while (cursor) cursor = await call('pruneStep', limits, cursor)
  }
}

const decodeIfAny = <C, T>(coded: C | undefined, decode: (coded: C) => T): T | undefined =>
  coded === undefined ? undefined : decode(coded)
