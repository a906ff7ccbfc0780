import {
  BadAnswer,
  BrokerBusy,
  BrokerRefused,
  BrokerUnreachable,
  IdentityRefused,
} from '@bourse/client'

/** What stands in the way, in a word for programs and a sentence for people. */
export type Trouble = Readonly<{
  kind: 'trouble'
  /** Whether asking the same again can ever end otherwise. */
  isFinal: boolean
  reason: string
  message: string
  retryAfterMs?: number | undefined
}>

/** What an answer came to, with faults of the broker as values; anything else is thrown on. */
export async function answerOrTrouble<T>(answer: Promise<T>): Promise<T | Trouble> {
  return answer.then(undefined, (thrown: unknown) => {
    const trouble = troubleOf(thrown)
    if (trouble) return trouble
    throw thrown
  })
}

export function isTrouble(answer: object): answer is Trouble {
  return 'kind' in answer && answer.kind === 'trouble'
}

function troubleOf(thrown: unknown): Trouble | undefined {
  if (thrown instanceof BrokerRefused) return refusal(thrown)
  if (thrown instanceof BrokerBusy)
    return { ...passing('BrokerBusy', thrown), retryAfterMs: thrown.retryAfterMs }
  if (thrown instanceof BrokerUnreachable) return passing('BrokerUnreachable', thrown)
  if (thrown instanceof IdentityRefused) return passing('IdentityRefused', thrown)
  if (thrown instanceof BadAnswer) return passing('BadAnswer', thrown)
  return undefined
}

/** Who may ask is decided anew each time: a denied cluster is admitted again some day. */
function refusal({ code, status, message }: BrokerRefused): Trouble {
  const reason = code ?? 'Refused'
  return { kind: 'trouble', isFinal: status !== 403, reason, message }
}

function passing(reason: string, { message }: Error): Trouble {
  return { kind: 'trouble', isFinal: false, reason, message }
}
