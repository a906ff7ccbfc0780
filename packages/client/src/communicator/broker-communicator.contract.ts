import type { AdvertisementInput, Reservation } from '@bourse/contract'
import { parseProof } from '@bourse/contract/proof'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BrokerCommunicator, InstructionsAnswer } from './broker-communicator.ts'

export type BrokerUnderTest = {
  /** A communicator that speaks as this cluster. */
  connect(clusterId: string): Promise<BrokerCommunicator>
  /** An operator reserves in this cluster's name. */
  reserveFor(clusterId: string, request: Request): Promise<void>
  /** Objects carry the conversation, and no calls. */
  isByObjects?: boolean
  close(): Promise<void>
}

/** The longest that a broker waits: each change comes sooner, also on a busy machine. */
const WAIT_MS = 60_000
/** A real process on a busy machine. */
const START_WITHIN_MS = 120_000

/** What every transport promises. Each test has its own clusters. */
export function describeCommunicator(
  name: string,
  startBroker: () => Promise<BrokerUnderTest>,
): void {
  describe(`${name} keeps the promises of a communicator`, () => {
    let broker: BrokerUnderTest
    beforeAll(async () => {
      broker = await startBroker()
    }, START_WITHIN_MS)
    afterAll(() => broker?.close())

    /** A provider with 8 cores that has advertised, and a requester. */
    async function aPair(provider: string, requester: string) {
      const lender = await broker.connect(provider)
      const published = await lender.publishAdvertisement(anAdvertisement(provider))
      const wanted = { requestedResources: { cpu: '2' }, targetClusterID: provider }
      return { lender, published, borrower: await broker.connect(requester), wanted }
    }
    /** The id of what was reserved; anything else fails the test. */
    async function reservedId(borrower: BrokerCommunicator, request: Request): Promise<string> {
      const outcome = await borrower.requestReservation(request)
      if (outcome.kind !== 'reserved') throw new Error(`expected a reservation: ${outcome.kind}`)
      return outcome.reservation.id
    }

    it('names the ledger and how far it is', async () => {
      const caller = await broker.connect('pinger')

      const stamp = await caller.ping()

      expect(stamp).toMatchObject({
        ledgerId: expect.any(String),
        index: expect.any(Number),
        brokerTimeOffsetMs: expect.any(Number),
      })
    })

    it('sends a proof that an earlier run has seen, and is refused for a forged one', async () => {
      const caller = await broker.connect('mnemosyne')
      const { ledgerId, proof } = await caller.ping()
      const neverGiven = `${2 ** 52}.${'a'.repeat(16)}.${'A'.repeat(22)}`

      if (ledgerId !== undefined) caller.remember?.({ ledgerId, proof: neverGiven })
      const answered = await caller.fetchInstructions().catch((fault) => fault.code)

      expect(parseProof(proof ?? '')).toBeDefined()
      // An object still counts with an invalid proof, which is reported beside it.
      if (broker.isByObjects) expect(answered).toMatchObject({ ledgerId })
      else expect(answered).toBe('UnprovenIndex')
    })

    it('publishes an advertisement and learns what is reserved and available', async () => {
      const { published } = await aPair('adv-lender', 'adv-borrower')

      expect(published.advertisement.resources).toMatchObject({ available: { cpu: '8' } })
      expect(published.instructions).toEqual([])
      expect(published.ledgerId).toEqual(expect.any(String))
    })

    it('carries what a cluster says beside its amounts', async () => {
      const caller = await broker.connect('talkative')
      const said = {
        largestFit: { cpu: '3', memory: '12Gi' },
        gpuModels: { 'NVIDIA-A100': 2 },
        liqo: { version: 'v1.1.0', podCIDRs: ['10.0.0.0/16'] },
      }

      const published = await caller.publishAdvertisement({
        ...anAdvertisement('talkative'),
        ...said,
      })

      expect(published.advertisement).toMatchObject(said)
    })

    it('brings instructions along with the next advertisement', async () => {
      const { lender, borrower, wanted } = await aPair('next-lender', 'next-borrower')
      const id = await reservedId(borrower, wanted)

      const published = await lender.publishAdvertisement(anAdvertisement('next-lender'))

      expect(published.instructions).toMatchObject([{ id, requestedResources: { cpu: '2' } }])
      expect(published.advertisement.resources).toMatchObject({
        reserved: { cpu: '2' },
        available: { cpu: '6' },
      })
    })

    it('finds the same reservation for the same request id', async () => {
      const { borrower, wanted } = await aPair('same-lender', 'same-borrower')
      const request = { ...wanted, requestId: 'job-1' }

      const first = await borrower.requestReservation(request)
      const second = await borrower.requestReservation(request)

      expect(first).toMatchObject({ kind: 'reserved', isNew: true, requestId: 'job-1' })
      expect(second).toMatchObject({ kind: 'reserved', isNew: false, requestId: 'job-1' })
      expect(second).toMatchObject({ reservation: { id: await reservedId(borrower, request) } })
    })

    it('makes a request id up where none is given', async () => {
      const { borrower, wanted } = await aPair('id-lender', 'id-borrower')

      const outcome = await borrower.requestReservation(wanted)

      expect(outcome.requestId).toMatch(/^[0-9a-f-]{36}$/)
      expect(outcome).toMatchObject({ reservation: { requestId: outcome.requestId } })
    })

    it('refuses a request id that was used for another request', async () => {
      const { borrower, wanted } = await aPair('reuse-lender', 'reuse-borrower')
      await borrower.requestReservation({ ...wanted, requestId: 'job-2' })

      const other = borrower.requestReservation({
        ...wanted,
        requestedResources: { cpu: '1' },
        requestId: 'job-2',
      })

      await expect(other).rejects.toMatchObject({ name: 'BrokerRefused', code: 'RequestIdReused' })
    })

    it('answers with an outcome, not an error, when nothing fits', async () => {
      const { borrower, wanted } = await aPair('full-lender', 'full-borrower')

      const outcome = await borrower.requestReservation({
        ...wanted,
        requestedResources: { cpu: '9' },
      })

      expect(outcome).toMatchObject({ kind: 'refused', refused: { Insufficient: 1 } })
    })

    it('says what no node could take, and refuses it where one node is wanted', async () => {
      const { lender, borrower, wanted } = await aPair('node-lender', 'node-borrower')
      const free = { largestFit: { cpu: '1', memory: '4Gi' }, visibility: 'full' as const }
      await lender.publishAdvertisement({ ...anAdvertisement('node-lender'), ...free })

      const spread = await borrower.requestReservation(wanted)
      const refused = await borrower.requestReservation({ ...wanted, oneNode: true })

      expect(spread).toMatchObject({
        kind: 'reserved',
        reservation: {
          status: { message: 'Reserved on node-lender; largest free node: 1 CPU' },
        },
      })
      expect(refused).toMatchObject({ kind: 'refused', refused: { NoNodeFits: 1 } })
    })

    it('names the field of a bad request', async () => {
      const { borrower } = await aPair('bad-lender', 'bad-borrower')

      const bad = borrower.requestReservation({ requestedResources: { cpu: '-1' } })

      await expect(bad).rejects.toMatchObject({
        name: 'BrokerRefused',
        code: 'InvalidRequest',
        fields: [{ path: 'requestedResources.cpu', message: expect.any(String) }],
      })
    })

    it('names a field that the broker does not know, and reserves nothing', async () => {
      const { lender, borrower, wanted } = await aPair('strict-lender', 'strict-borrower')

      const asked = borrower.requestReservation({ ...wanted, duratoin: '1h' } as Request)

      await expect(asked).rejects.toMatchObject({
        code: 'InvalidRequest',
        fields: [{ path: 'duratoin', message: expect.stringContaining('is not known') }],
      })
      expect((await lender.fetchInstructions()).instructions).toEqual([])
    })

    it('refuses to advertise for another cluster', async () => {
      const caller = await broker.connect('liar')

      const lie = caller.publishAdvertisement(anAdvertisement('victim'))

      await expect(lie).rejects.toMatchObject({ name: 'BrokerRefused', code: 'NotYours' })
    })

    it('activates, renews and releases, and releasing again is harmless', async () => {
      const { borrower, wanted } = await aPair('life-lender', 'life-borrower')
      const id = await reservedId(borrower, { ...wanted, duration: '1h' })

      const active = await borrower.activate(id)
      const renewed = await borrower.renew(id, '3h')
      const released = await borrower.release({ id })
      const again = await borrower.release({ id })

      expect(active.status.phase).toBe('Active')
      expect(Date.parse(renewed.status.expiresAt ?? '')).toBeGreaterThan(
        Date.parse(active.status.expiresAt ?? ''),
      )
      expect(released).toMatchObject({ kind: 'released', reservation: { status: ENDED } })
      expect(again).toMatchObject({ kind: 'released', reservation: { status: ENDED } })
    })

    it('shows the state of a reservation, also after its end', async () => {
      const { borrower, wanted } = await aPair('tell-lender', 'tell-borrower')
      const id = await reservedId(borrower, wanted)

      const before = await borrower.getReservation(id)
      await borrower.release({ id })
      const after = await borrower.getReservation(id)

      expect(before).toMatchObject({ id, status: { phase: 'Reserved' } })
      expect(after).toMatchObject({ id, status: ENDED })
    })

    it('refuses a request that was released before it arrived', async () => {
      const { borrower, wanted } = await aPair('late-lender', 'late-borrower')

      const released = await borrower.release({ requestId: 'job-3' })
      const late = await borrower.requestReservation({ ...wanted, requestId: 'job-3' })

      expect(released.kind).toBe('tombstoned')
      expect(late.kind).toBe('tombstoned')
    })

    it('releases by request id what was reserved', async () => {
      const { borrower, wanted } = await aPair('byid-lender', 'byid-borrower')
      const id = await reservedId(borrower, { ...wanted, requestId: 'job-4' })

      const released = await borrower.release({ requestId: 'job-4' })

      expect(released).toMatchObject({ kind: 'released', reservation: { id, status: ENDED } })
    })

    it('wakes a provider that waits as soon as something is held on it', async () => {
      const { lender, borrower, wanted } = await aPair('wake-lender', 'wake-borrower')
      const before = await lender.fetchInstructions()
      const question = before.index === undefined ? {} : { after: before.index }

      const waiting = lender.fetchInstructions({ ...question, waitMs: WAIT_MS })
      const id = await reservedId(borrower, wanted)
      const woken = await waiting

      expect(woken.instructions).toMatchObject([{ id, requesterID: 'wake-borrower' }])
      expect(woken.ledgerId).toBe(before.ledgerId)
      expect(woken.index).toBeGreaterThan(before.index ?? 0)
    })

    it('watches instructions come and go', async () => {
      const { lender, borrower, wanted } = await aPair('watch-lender', 'watch-borrower')
      const ending = new AbortController()
      const watching = lender.watchInstructions({ signal: ending.signal, waitMs: WAIT_MS })
      const answers = watching[Symbol.asyncIterator]()

      const empty = await nextWith(answers, 0)
      const id = await reservedId(borrower, wanted)
      const held = await nextWith(answers, 1)
      await borrower.release({ id })
      const gone = await nextWith(answers, 0)
      ending.abort()

      expect(empty.instructions).toEqual([])
      expect(held.instructions).toMatchObject([{ id }])
      expect(gone.index).toBeGreaterThan(held.index ?? 0)
      expect(await answers.next()).toMatchObject({ done: true })
    })

    it('watches what was requested, also by others in its name', async () => {
      const { borrower, wanted } = await aPair('mine-lender', 'mine-borrower')
      const id = await reservedId(borrower, wanted)
      const ending = new AbortController()
      const seen: Reservation[][] = []

      for await (const { reservations } of borrower.watchReservations({ signal: ending.signal })) {
        if (seen.length === 0) await broker.reserveFor('mine-borrower', wanted)
        seen.push([...reservations])
        if (reservations.length > 1 || seen.length === ANSWERS_MAX) ending.abort()
      }

      expect(seen[0]).toMatchObject([{ id, requesterID: 'mine-borrower' }])
      const others = seen.at(-1)?.filter((one) => one.id !== id)
      expect(others).toMatchObject([
        { requesterID: 'mine-borrower', targetClusterID: 'mine-lender' },
      ])
    })

    it('ends what is under way when it is closed', async () => {
      const caller = await broker.connect('closer')
      const waiting = caller.fetchInstructions({ waitMs: WAIT_MS })
      // Handled here at once, as it may reject before `close` has come back.
      const outcome = waiting.catch((error: Error) => error.name)

      await caller.ping()
      await caller.close()

      expect(await outcome).toBe('ClientClosed')
    })
  })
}

export type Request = Parameters<BrokerCommunicator['requestReservation']>[0]

const ENDED = { phase: 'Released', reason: 'Released' }
const ANSWERS_MAX = 20

/** The next answer with so many instructions; answers that changed nothing may come between. */
export async function nextWith(
  answers: AsyncIterator<InstructionsAnswer>,
  count: number,
): Promise<InstructionsAnswer> {
  for (let seen = 0; seen < ANSWERS_MAX; seen++) {
    const { value, done } = await answers.next()
    if (done) break
    if (value.instructions.length === count) return value
  }
  throw new Error(`no answer with ${count} instructions came`)
}

export function anAdvertisement(clusterID: string): AdvertisementInput {
  const amounts = { cpu: '8', memory: '32Gi' }
  return {
    clusterID,
    clusterName: clusterID,
    resources: { capacity: amounts, allocatable: amounts, allocated: { cpu: '0', memory: '0' } },
    timestamp: '2026-11-15T00:00:00Z',
  }
}
