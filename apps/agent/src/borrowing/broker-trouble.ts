import {
  BadAnswer,
  BrokerBusy,
  BrokerRefused,
  BrokerUnreachable,
  IdentityRefused,
} from '@bourse/client'

/** A failed call: a reason for programs and a message for people. */
export type Trouble = Readonly<{
  kind: 'trouble'
  /** Whether repeating the call is useless. */
  isFinal: boolean
  reason: string
  message: string
  retryAfterMs?: number | undefined
}>

/** The answer, or a fault of the broker as a value; other errors are thrown. */
export async function answerOrTrouble<T>(answer: Promise<T>): Promise<T | Trouble> {
  return answer.catch((thrown: unknown) => {
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

/** A 403 is not final: a denied cluster may be admitted later. */
function refusal({ code, status, message }: BrokerRefused): Trouble {
  const reason = code ?? 'Refused'
  return { kind: 'trouble', isFinal: status !== 403, reason, message }
}

function passing(reason: string, { message }: Error): Trouble {
  return { kind: 'trouble', isFinal: false, reason, message }
}
