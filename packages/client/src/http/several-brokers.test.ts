import { quietPorts } from '@bourse/testkit'
import { makeTestCertificates } from '@bourse/testkit/certificates'
import { playBroker, type Scene, STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it } from 'vitest'
import { RESERVATION, WANTED } from '../../fixtures/http/granted.ts'
import { createHttpBroker } from './http-broker.ts'

const GRANTED: Scene = { status: 201, body: RESERVATION, headers: STAMP }
const LEADS: Scene = { status: 200, body: [], headers: STAMP }

const { play, closeLater, rome } = useScriptedBrokers()

describe('several brokers of one ledger', () => {
  it('asks the leader that a standby names, and stays with it', async () => {
    const leader = await play(LEADS)
    const standby = await play(standsBy(leader.url))
    const { broker, pauses } = client(standby.url)

    await broker.fetchInstructions()
    await broker.fetchInstructions()

    expect([standby.heard.length, leader.heard.length]).toEqual([1, 2])
    expect(pauses).toEqual([])
  })

  it('asks the next of the list when the first one is not there', async () => {
    const second = await play(LEADS)
    const { broker, pauses } = client(`${await unusedAddress()},${second.url}`)

    await broker.fetchInstructions()

    expect(second.heard).toHaveLength(1)
    expect(pauses).toEqual([])
  })

  it('waits as long as they say when none of them leads, and repeats even a reservation', async () => {
    const one = await play(standsBy(), standsBy(), GRANTED)
    const other = await play(standsBy())
    const { broker, pauses } = client(`${one.url},${other.url}`)

    const outcome = await broker.requestReservation(WANTED)

    expect(outcome).toMatchObject({ kind: 'reserved', isNew: true })
    expect(pauses).toEqual([1_050, 1_100])
  })

  it('goes back to the list when the leader that was named is out of reach', async () => {
    const leader = await unusedAddress()
    const standby = await play(standsBy(leader), standsBy(leader), LEADS)
    const { broker, pauses } = client(standby.url)

    await broker.fetchInstructions()

    expect(standby.heard).toHaveLength(3)
    expect(pauses).toEqual([1_050, 1_100])
  })

  it('uses a standby although the certificate of its leader is invalid', async () => {
    const strangers = await makeTestCertificates()
    const leader = await playBroker(await strangers.forServer(), [LEADS])
    closeLater(leader)
    const standby = await play(standsBy(leader.url), LEADS)
    const { broker } = client(standby.url)

    expect((await broker.fetchInstructions()).instructions).toEqual([])
    expect(leader.heard).toEqual([])
    strangers.dispose()
  })

  it('repeats elsewhere what was cut off in the middle', async () => {
    const leaving = await play(LEADS, 'hang up')
    const next = await play(GRANTED)
    const { broker } = client(`${leaving.url},${next.url}`)
    await broker.fetchInstructions()

    const { requestId } = await broker.requestReservation(WANTED)

    expect(leaving.heard[1]?.body).toEqual({ ...WANTED, requestId })
    expect(next.heard[0]?.body).toEqual({ ...WANTED, requestId })
  })

  it('repeats a reservation that was never sent, also to an unknown broker', async () => {
    const { broker, pauses } = client(await unusedAddress())

    await expect(broker.requestReservation(WANTED)).rejects.toMatchObject({ isUnsent: true })
    expect(pauses).toHaveLength(7)
  })
})

const standsBy = (leader?: string): Scene => ({
  status: 503,
  body: { code: 'Unavailable', detail: 'This broker stands by.' },
  headers: {
    'content-type': 'application/problem+json',
    'retry-after': '1',
    ...(leader && { 'bourse-leader': leader }),
  },
})

/** An address where no server listens. */
async function unusedAddress(): Promise<string> {
  return `https://127.0.0.1:${(await quietPorts(1))[0]}`
}

function client(url: string) {
  const pauses: number[] = []
  const sleep = async (ms: number) => void pauses.push(ms)
  const clock = { random: () => 0.5, sleep }
  return { broker: closeLater(createHttpBroker({ url, certPath: rome(), clock })), pauses }
}
