import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anAdvertisement, type BrokerUnderTest } from './broker-communicator.contract.ts'
import type { BrokerCommunicator, PeeringsAnswer } from './broker-communicator.ts'

const START_WITHIN_MS = 120_000
const ANSWERS_MAX = 20

/** What every transport that carries peerings promises. Each test has clusters of its own. */
export function describePeerings(
  name: string,
  startBroker: () => Promise<Omit<BrokerUnderTest, 'reserveFor'>>,
): void {
  describe(`${name} carries what two agents tell each other`, () => {
    let broker: Omit<BrokerUnderTest, 'reserveFor'>
    beforeAll(async () => {
      broker = await startBroker()
    }, START_WITHIN_MS)
    afterAll(() => broker?.close())

    /** A requester that has reserved something of a provider, and a session to open. */
    async function aPair(topic: string) {
      const providerID = `${topic}-lender`
      const lender = await broker.connect(providerID)
      await lender.publishAdvertisement(anAdvertisement(providerID))
      const borrower = await broker.connect(`${topic}-borrower`)
      await borrower.requestReservation({
        requestedResources: { cpu: '2' },
        targetClusterID: providerID,
      })
      const opened = { id: aSessionId(), providerID, networking: 'none', hello: 'hi' } as const
      return { lender, borrower, opened }
    }

    it('opens a session, and again is the same', async () => {
      const { borrower, opened } = await aPair('open')

      const first = await borrower.openPeering(opened)
      const second = await borrower.openPeering(opened)

      expect(first).toMatchObject({ id: opened.id, state: 'open', requesterID: 'open-borrower' })
      expect(second).toEqual(first)
    })

    it('refuses a session with a provider on which nothing is reserved', async () => {
      const { lender, opened } = await aPair('refuse')

      const refused = lender.openPeering({ ...opened, providerID: 'refuse-borrower' })

      await expect(refused).rejects.toMatchObject({ name: 'BrokerRefused', code: 'NoReservation' })
    })

    it('brings each side the messages of the other, from the first to the last', async () => {
      const { lender, borrower, opened } = await aPair('talk')
      const ending = new AbortController()
      const { signal } = ending
      const lending = lender.watchPeerings({ signal })[Symbol.asyncIterator]()
      const borrowing = borrower.watchPeerings({ signal })[Symbol.asyncIterator]()
      const { id } = opened

      await borrower.openPeering(opened)
      const asked = await next(lending, ({ peerings: [one] }) => one?.messages.hello !== undefined)
      await lender.postPeering(id, { step: 'nonce', sealed: 'n' })
      const told = await next(borrowing, ({ peerings: [one] }) => one?.messages.nonce !== undefined)
      await borrower.postPeering(id, { step: 'ready', sealed: 'r' })
      await next(lending, ({ peerings: [one] }) => one?.state === 'established')
      await borrower.postPeering(id, { step: 'goodbye', sealed: 'g' })
      const parting = await next(lending, ({ peerings: [one] }) => one?.state === 'closing')
      await lender.closePeering(id)
      const gone = await next(borrowing, ({ peerings }) => peerings.length === 0)
      ending.abort()

      expect(asked.peerings).toMatchObject([{ id, messages: { hello: { sealed: 'hi' } } }])
      expect(told.peerings).toMatchObject([{ id, messages: { nonce: { sealed: 'n' } } }])
      expect(parting.peerings).toMatchObject([{ id, messages: { goodbye: { sealed: 'g' } } }])
      expect(gone.index).toBeGreaterThan(told.index ?? 0)
      expect(gone.ledgerId).toEqual(expect.any(String))
    })

    it('says why a side is stuck', async () => {
      const { lender, borrower, opened } = await aPair('stuck')
      await borrower.openPeering(opened)
      const trouble = { reason: 'NoRoute', message: '192.0.2.7:6443 does not answer.' }

      const session = await lender.reportPeeringTrouble(opened.id, trouble)

      expect(session.trouble).toEqual({ provider: trouble })
    })

    it('lets neither side post a step of the other', async () => {
      const { borrower, opened } = await aPair('forge')
      await borrower.openPeering(opened)

      const forged = borrower.postPeering(opened.id, { step: 'grant', sealed: 'mine' })

      await expect(forged).rejects.toMatchObject({ name: 'BrokerRefused', code: 'NotYours' })
    })

    it('refuses other clusters; closing a session twice is harmless', async () => {
      const { borrower, opened } = await aPair('stranger')
      await borrower.openPeering(opened)
      const mallory = await broker.connect('stranger-mallory')
      const { signal } = new AbortController()

      const said = mallory.postPeering(opened.id, { step: 'nonce', sealed: 'x' })
      await expect(said).rejects.toMatchObject({ code: 'PeeringNotFound' })
      await mallory.closePeering(opened.id)
      const seen = await first(mallory.watchPeerings({ signal }))
      const mine = await first(borrower.watchPeerings({ signal }))
      await borrower.closePeering(opened.id)
      await borrower.closePeering(opened.id)

      expect(seen.peerings).toEqual([])
      expect(mine.peerings).toMatchObject([{ id: opened.id }])
    })
  })
}

async function first(answers: ReturnType<BrokerCommunicator['watchPeerings']>) {
  for await (const answer of answers) return answer
  throw new Error('nothing was told')
}

/** The next answer that is so; answers that changed nothing else may come between. */
async function next(
  answers: AsyncIterator<PeeringsAnswer>,
  isSo: (answer: PeeringsAnswer) => boolean,
): Promise<PeeringsAnswer> {
  for (let seen = 0; seen < ANSWERS_MAX; seen++) {
    const { value, done } = await answers.next()
    if (done) break
    if (isSo(value)) return value
  }
  throw new Error('no such answer came')
}

function aSessionId(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567'
  return `ps-${Array.from(randomBytes(26), (byte) => letters[byte % 32]).join('')}`
}
