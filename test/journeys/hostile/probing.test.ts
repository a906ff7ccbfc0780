// Budget: 15 seconds. What a tenant can find out about a rival that advertises `visibility: summary`.
import {
  anAdvertisement,
  aRequest,
  type RawCaller,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { attackSize } from './attack-size.ts'

const EVALUATIONS = '/api/v1/evaluations'
const RESERVATIONS = '/api/v1/reservations'
/** Few enough each that none of them is slowed down. */
const QUESTIONS_EACH = 25
const MOLES = attackSize({ sample: 8, full: 40 })
/** 37.3 of 64 cores are free: told is "at least 32", and 48 would be told as more. */
const TAKEN = '26700m'
const FREE_CORES = 37.3
const BAND = { from: 32, to: 48 }

let broker: TestBroker
let paris: RawCaller
let rome: RawCaller
let molesMade = 0

beforeAll(async () => {
  broker = await startBroker()
  paris = await broker.aRawCaller('paris')
  rome = await broker.aRawCaller('rome')
})
afterAll(() => broker?.dispose())
beforeEach(() => takenInParis(TAKEN))

/** Tenants that the broker has never heard of. */
function someMoles(count: number): Promise<RawCaller[]> {
  const names = Array.from({ length: count }, () => `mole-${molesMade++}`)
  return Promise.all(names.map((name) => broker.aRawCaller(name)))
}

async function aMole(): Promise<RawCaller> {
  return broker.aRawCaller(`mole-${molesMade++}`)
}

function takenInParis(cpu: string) {
  const more = { allocated: { cpu, memory: '0' }, visibility: 'summary' as const }
  const supply = { cpu: '64', memory: '256Gi' }
  return paris.post('/api/v1/advertisements', anAdvertisement('paris', supply, more))
}

const milli = (cores: number) => `${Math.round(cores * 1_000)}m`

it('by bisecting with evaluations a rival’s free cores are not found any finer than the band', async () => {
  let [low, high] = [0, 128]
  for (const mole of await someMoles(MOLES))
    for (let asked = 0; asked < QUESTIONS_EACH; asked += 1) {
      const middle = (low + high) / 2
      const reply = await mole.post(EVALUATIONS, aRequest({ cpu: milli(middle) }))
      expect(reply.status).toBe(200)
      if (reply.json.targetClusterID === 'paris') low = middle
      else high = middle
    }

  // All 200 answers only find the edge of the band, which says nothing about what lies within.
  expect(low).toBeCloseTo(BAND.from, 2)
  expect(FREE_CORES).toBeLessThan(BAND.to)
})

it('every answer is the same wherever in the band the free cores are, and a reservation makes no difference', async () => {
  const before = await transcript()
  const victim = await rome.post(RESERVATIONS, aRequest({ cpu: '3' }))
  const during = await transcript()
  await takenInParis('16100m') // 47.9 free, less the 3 that are reserved
  const above = await transcript()
  await takenInParis('32000m') // exactly 32 free, less the 3: another band
  const below = await transcript()
  await rome.send({ method: 'DELETE', path: `${RESERVATIONS}/${victim.json.id}` })

  expect(victim.status).toBe(201)
  expect(during).toEqual(before)
  expect(above).toEqual(before)
  expect(below).not.toEqual(before)
})

it('no answer about a rival carries a score or an amount of its', async () => {
  const evaluation = await rome.post(EVALUATIONS, aRequest({ cpu: '2' }))
  const refused = await rome.post(RESERVATIONS, aRequest({ cpu: '38', memory: '300Gi' }))
  const reserved = await rome.post(RESERVATIONS, aRequest({ cpu: '2' }))
  const explained = await rome.get(`${RESERVATIONS}/${reserved.json.id}/explanation`)
  await rome.send({ method: 'DELETE', path: `${RESERVATIONS}/${reserved.json.id}` })

  const row = { clusterID: 'paris', verdict: 'chosen', message: 'paris is the best fit' }
  expect(evaluation.json.rows).toEqual([{ ...row, band: 'limited', rounded: true }])
  expect(refused.status).toBe(409)
  expect(refused.json.detail).toMatch(/: paris has too little cpu or memory$/)
  expect(explained.json.rows).toEqual([{ ...row, band: 'limited', rounded: true }])
  for (const { text } of [evaluation, refused, explained])
    expect(text).not.toMatch(/37[.,]3|37300|"score"|baseScore|available"/)
})

it('a caller that tries ever other amounts is slowed down more and more, and no other is', async () => {
  const mole = await aMole()
  const other = await aMole()
  let answered = 0
  let refusal: Awaited<ReturnType<RawCaller['post']>> | undefined
  for (let asked = 1; asked <= 200; asked += 1) {
    const reply = await mole.post(EVALUATIONS, aRequest({ cpu: milli(asked / 10) }))
    if (reply.status === 200) answered += 1
    else refusal = reply
  }

  expect(answered).toBeGreaterThanOrEqual(33)
  expect(answered).toBeLessThan(50)
  expect(refusal).toMatchObject({ status: 429, json: { code: 'RateLimited' } })
  expect(Number(refusal?.headers['retry-after'])).toBeGreaterThan(0)
  expect((await other.post(EVALUATIONS, aRequest({ cpu: '20' }))).status).toBe(200)
  // Its agent goes on: only questions about hidden numbers wait.
  expect((await mole.get(RESERVATIONS)).status).toBe(200)
})

it('real reservations tell exactly, and trying them again and again uses up the caller’s rate', async () => {
  const mole = await aMole()
  const statuses: number[] = []
  for (let tried = 1; tried <= 200; tried += 1) {
    const reply = await mole.post(RESERVATIONS, aRequest({ cpu: milli(FREE_CORES + tried / 10) }))
    statuses.push(reply.status)
  }

  expect(statuses.slice(0, 32)).toEqual(Array.from({ length: 32 }, () => 409))
  expect(statuses).toContain(429)
  expect((await rome.post(RESERVATIONS, aRequest({ cpu: milli(FREE_CORES) }))).status).toBe(201)
})

/** The answers to questions all over the range, without what names the asker. */
async function transcript() {
  const mole = await aMole()
  const replies: unknown[] = []
  for (let asked = 1; asked <= QUESTIONS_EACH; asked += 1) {
    const reply = await mole.post(EVALUATIONS, aRequest({ cpu: String(2 * asked) }))
    const { summary: _, request: __, rows, ...told } = reply.json
    const others = rows.filter((row: { clusterID: string }) => row.clusterID === 'paris')
    replies.push({ ...told, rows: others })
  }
  return replies
}
