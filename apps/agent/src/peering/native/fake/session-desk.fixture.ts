import { type BrokerPeerings, BrokerRefused, type PeeringsAnswer } from '@bourse/client'
import type { PeeringRole, PeeringSession } from '@bourse/contract'

export type SessionDesk = ReturnType<typeof createSessionDesk>

/** The broker's part of peerings in memory: it carries what it is given, for any number of clusters. */
export function createSessionDesk() {
  const sessions = new Map<string, PeeringSession>()
  const waiting = new Set<() => void>()
  let index = 0
  /** What a hostile broker makes of what it carries. */
  let tamper = (session: PeeringSession): PeeringSession => session

  function put(session: PeeringSession): PeeringSession {
    sessions.set(session.id, session)
    stir()
    return session
  }

  function stir(): void {
    index++
    for (const wake of waiting) wake()
    waiting.clear()
  }

  function find(id: string): PeeringSession {
    const found = sessions.get(id)
    if (!found) throw new BrokerRefused(id, { status: 404, code: 'PeeringNotFound' })
    return found
  }

  function brokerFor(clusterId: string): BrokerPeerings {
    const roleIn = ({ requesterID }: PeeringSession): PeeringRole =>
      requesterID === clusterId ? 'requester' : 'provider'

    return {
      async openPeering({ id, providerID, networking, hello }) {
        for (const one of sessions.values())
          if (one.requesterID === clusterId && one.providerID === providerID)
            sessions.delete(one.id)
        const openedAt = new Date().toISOString()
        const messages = { hello: { sealed: hello, postedAt: openedAt } }
        const ends = { requesterID: clusterId, providerID, networking }
        return put({ id, ...ends, state: 'open', messages, steps: {}, openedAt })
      },
      async postPeering(id, { step, sealed }) {
        const { trouble, ...session } = find(id)
        const role = roleIn(session)
        const others = Object.entries(trouble ?? {}).filter(([who]) => who !== role)
        const posted = { [step]: { sealed, postedAt: new Date().toISOString() } }
        const { hello } = session.messages
        const state =
          step === 'goodbye' ? 'closing' : step === 'ready' ? 'established' : session.state
        const kept = step === 'ready' ? { ...(hello && { hello }) } : session.messages
        const messages = { ...kept, ...(step !== 'ready' && posted) }
        return put({ ...session, state, messages, trouble: Object.fromEntries(others) })
      },
      async reportPeeringTrouble(id, said) {
        const session = find(id)
        return put({ ...session, trouble: { ...session.trouble, [roleIn(session)]: said } })
      },
      async closePeering(id) {
        if (sessions.delete(id)) stir()
      },
      async *watchPeerings({ signal }): AsyncGenerator<PeeringsAnswer> {
        for (let told = -1; !signal.aborted; ) {
          if (told === index)
            await new Promise<void>((wake) => {
              waiting.add(wake)
              signal.addEventListener('abort', () => wake(), { once: true })
            })
          if (signal.aborted) return
          told = index
          const own = [...sessions.values()].filter(({ requesterID, providerID }) =>
            [requesterID, providerID].includes(clusterId),
          )
          yield { peerings: own.map((one) => tamper(one)), index }
        }
      },
    }
  }

  return {
    brokerFor,
    sessions: () => [...sessions.values()],
    /** What it carries from now on, and carries again. */
    become(other: typeof tamper): void {
      tamper = other
      stir()
    },
    put,
  }
}
