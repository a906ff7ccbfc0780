import { setTimeout as sleep } from 'node:timers/promises'
import type { ReservationRequest } from '@bourse/contract'
import { type Scene, STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it } from 'vitest'
import { RESERVATION, WANTED } from '../../fixtures/http/granted.ts'
import { createHttpBroker } from './http-broker.ts'

/** Others answer within it also on a busy machine; time-outs are exact to a second only. */
const TIMEOUT_MS = 2_000
const LATE_MS = 30_000

const GRANTED: Scene = { status: 201, body: RESERVATION, headers: STAMP }
/** It answers well, to a caller that has gone. */
const LATE: Scene = async (_, response) => {
  await sleep(LATE_MS, undefined, { ref: false })
  response.writeHead(201, { 'content-type': 'application/json', ...STAMP })
  response.end(JSON.stringify({ ...RESERVATION, id: 'rsv-late' }))
}

const { play, closeLater, rome } = useScriptedBrokers()

describe('a broker whose answers come far too late', () => {
  it('is asked for the same reservation again, not for another one', async () => {
    const slow = await play(LATE, GRANTED)

    const outcome = await client(slow.url, 2).requestReservation(WANTED)

    // In between it looks whether this is a broker that can be asked twice.
    const posted = slow.heard.filter(({ line }) => line.startsWith('POST'))
    const ids = posted.map(({ body }) => (body as ReservationRequest).requestId)
    expect(outcome).toMatchObject({ kind: 'reserved', reservation: { id: 'rsv-1' } })
    expect(ids).toEqual([outcome.requestId, outcome.requestId])
  })

  it('is said not to answer in time', async () => {
    const slow = await play(LATE)

    await expect(client(slow.url, 1).requestReservation(WANTED)).rejects.toThrow(
      'did not answer in time',
    )
  })
})

function client(url: string, attemptsMax: number) {
  const timeouts = { headersMs: TIMEOUT_MS }
  return closeLater(createHttpBroker({ url, certPath: rome(), timeouts, retry: { attemptsMax } }))
}
