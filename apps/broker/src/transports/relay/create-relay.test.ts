import { describe, expect, it } from 'vitest'
import {
  advertisement,
  apiPorts,
  aRate,
  LEDGER_ID,
  PROOF,
  settings,
} from '../../../fixtures/http/server/api.ts'
import { answerTokens, createFairShare, createJournalBudget } from '../../fair-share/index.ts'
import type { Caller } from '../../http/callers/caller.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'
import type { ApiPorts } from '../../http/server/create-api.ts'
import { createRelay } from './create-relay.ts'

const caller = (id: string) => (): Caller => ({ id, isOperator: false })
const NEVER = new AbortController().signal

async function aRelay(given: Partial<ApiPorts> = {}) {
  const parts = await apiPorts(given)
  const relay = await createRelay(parts.ports, settings)
  const post = (as: string, path: string, body: object) =>
    relay.ask(caller(as), { method: 'POST', path, body: JSON.stringify(body) })
  return { ...parts, relay, post }
}

describe('the relay', () => {
  it('answers as the REST API does, and says so', async () => {
    const { post } = await aRelay()

    const answer = await post('paris', '/advertisements', advertisement('paris'))

    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'bourse-ledger': LEDGER_ID,
        'bourse-index': '1',
        'bourse-term': 'term-1',
        date: expect.any(String),
      },
    })
    expect(JSON.parse(answer.body)).toMatchObject({ advertisement: { clusterID: 'paris' } })
  })

  it('names an operator with the door that carries the call', async () => {
    const { relay, post, writer } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const signatures: unknown[] = []
    writer.subscribe(({ events }) => signatures.push(...events.map(({ by }) => by)))
    const ana = (): Caller => ({ id: 'ana', isOperator: true, door: 'grpc' })

    await relay.ask(ana, { method: 'POST', path: '/advertisements/paris/cordon' })

    expect(signatures).toEqual(['operator:ana@grpc'])
  })

  it('carries what a caller has seen, of a watch with its first question alone', async () => {
    const judged: string[] = []
    const judge = (seen: string) => {
      judged.push(seen)
      return 'fine' as const
    }
    const { relay, post } = await aRelay({ rollback: { proof: () => PROOF, judge } })
    const question = { method: 'GET', path: '/instructions', seen: 'what it saw' } as const

    const { headers } = await relay.ask(caller('rome'), question)
    const answers = relay.watch(caller('paris'), question, NEVER)
    await answers.next()
    const next = answers.next()
    await post('paris', '/advertisements', advertisement('paris'))
    relay.endWatches()
    await next

    expect(headers['bourse-proof']).toBe(PROOF)
    expect(judged).toEqual(['what it saw', 'what it saw'])
  })

  it.each([
    { path: '/reservations', body: { requestedResources: { cpu: '2' }, duratoin: '1h' } },
    { path: '/evaluations', body: { requestedResources: { cpu: '2' }, duratoin: '1h' } },
    { path: '/reservations/rsv-1/renew', body: { duration: '1h', duratoin: '1h' } },
  ])('carries no field that is not known: $path', async ({ path, body }) => {
    const { post, writer } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))

    const { status, body: answer } = await post('rome', path, body)

    expect(status).toBe(400)
    expect(JSON.parse(answer).fields).toEqual([
      { path: 'duratoin', message: 'is not known: did you mean duration?' },
    ])
    expect(writer.index()).toBe(1)
  })

  it('carries what an advertisement has beyond what is known, and says so', async () => {
    const { post } = await aRelay()

    const answer = await post('paris', '/advertisements', { ...advertisement('paris'), newer: 1 })

    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body).ignored).toEqual(['newer'])
  })

  it('takes the caller from the transport alone', async () => {
    const { post } = await aRelay()

    const lie = await post('liar', '/advertisements', advertisement('victim'))

    expect(lie.status).toBe(403)
    expect(JSON.parse(lie.body)).toMatchObject({ code: 'NotYours' })
  })

  it('is no way around the budget of the journal', async () => {
    const journal = createJournalBudget(1_000, () => 0)
    journal.recall({ ledgerId: '', index: 0, at: 0, spent: [['rome', 1_101]] })
    const share = createFairShare({ journal }, () => performance.now())
    const { relay, post } = await aRelay({ share })

    const written = await post('rome', '/advertisements', advertisement('rome'))
    const buried = await relay.ask(caller('rome'), {
      method: 'DELETE',
      path: '/reservations?requestId=never-seen',
    })

    expect([written.status, buried.status]).toEqual([429, 429])
  })

  it('asks the lists of clusters and the limit of rates, too', async () => {
    const { relay, admission } = await aRelay(aRate({ perSecond: 1, burst: 1 }))
    const ask = () => relay.ask(caller('rome'), { method: 'GET', path: '/instructions' })

    await ask()
    const hasty = await ask()
    admission.current = { deny: new Set(['rome']) }
    const denied = await ask()

    expect([hasty.status, hasty.headers['retry-after']]).toEqual([429, '1'])
    expect(denied.status).toBe(403)
  })

  it('counts what a cluster calls at any door as one rate', async () => {
    const { relay, ports } = await aRelay(aRate({ perSecond: 0.1, burst: 2 }))
    const beside = await createRelay(ports, settings)
    const call = { method: 'GET', path: '/instructions' } as const

    const here = await relay.ask(caller('rome'), call)
    const there = await beside.ask(caller('rome'), call)
    const hasty = await relay.ask(caller('rome'), call)
    const other = await beside.ask(caller('paris'), call)

    expect([here, there, hasty, other].map(({ status }) => status)).toEqual([200, 200, 429, 200])
  })

  it.each([
    { method: 'GET', path: '/events' },
    { method: 'GET', path: '/events?after=3' },
    { method: 'GET', path: '/./events' },
    { method: 'GET', path: '/x/../events' },
    { method: 'GET', path: '/%65vents' },
    { method: 'PATCH', path: '/reservations' },
    { method: 'GET', path: 'instructions' },
  ])('does not carry $method $path', async (call) => {
    const { relay } = await aRelay()

    // A foreign client may send any method.
    const answer = await relay.ask(caller('rome'), call as Parameters<typeof relay.ask>[1])

    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'RouteNotFound' })
  })

  it('watches: at once, whenever it differs, and no longer when it is told to end', async () => {
    const { relay, post } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const watching = relay.watch(caller('paris'), { method: 'GET', path: '/instructions' }, NEVER)

    const first = await watching.next()
    const second = watching.next()
    await post('rome', '/reservations', { requestedResources: { cpu: '2' } })
    const told = await second
    const last = watching.next()
    relay.endWatches()

    expect(JSON.parse(first.value?.body ?? '')).toEqual([])
    expect(JSON.parse(told.value?.body ?? '')).toMatchObject([{ requesterID: 'rome' }])
    expect(await last).toEqual({ done: true, value: undefined })
  })

  it('watches no command, which would be carried out again and again', async () => {
    const { relay, post, ports } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const before = ports.writer.index()
    const body = JSON.stringify({ requestedResources: { cpu: '1' } })
    const call = { method: 'POST', path: '/reservations', body } as const

    const watching = relay.watch(caller('rome'), call, NEVER)

    expect((await watching.next()).value).toMatchObject({ status: 405 })
    expect((await watching.next()).done).toBe(true)
    expect(ports.writer.index()).toBe(before)
  })

  it.each(['/./events', '/%65vents', '/audit', '/openapi.json', '/healthz'])(
    'watches nothing that does not wait: %s',
    async (path) => {
      const { relay } = await aRelay()

      const watching = relay.watch(caller('rome'), { method: 'GET', path }, NEVER)

      expect((await watching.next()).value?.status).toBeOneOf([404, 405])
      expect((await watching.next()).done).toBe(true)
      expect(relay.waiting()).toBe(0)
    },
  )

  it('gives a watch back at once that is left', async () => {
    const { relay } = await aRelay()
    const ending = new AbortController()
    const call = { method: 'GET', path: '/instructions' } as const
    const watching = relay.watch(caller('rome'), call, ending.signal)
    await watching.next()
    const next = watching.next()
    await expect.poll(relay.waiting).toBe(1)

    ending.abort()

    expect((await next).done).toBe(true)
    expect(relay.waiting()).toBe(0)
  })

  it('watches with a wait of its own, whatever the question says', async () => {
    const { relay } = await aRelay()
    const call = { method: 'GET', path: '/instructions?wait=0s&after=0' } as const
    const watching = relay.watch(caller('rome'), call, NEVER)
    await watching.next()

    const next = watching.next()

    await expect.poll(relay.waiting).toBe(1)
    relay.endWatches()
    expect((await next).done).toBe(true)
  })

  it('says so instead of carrying an answer that is too long', async () => {
    const { ports } = await apiPorts()
    const relay = await createRelay(ports, { ...settings, answerLengthMax: 1_000 })

    const answer = await relay.ask(caller('rome'), { method: 'GET', path: '/openapi.json' })

    expect(answer).toMatchObject({
      status: 503,
      headers: { 'content-type': 'application/problem+json' },
    })
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'Unavailable',
      detail: expect.stringContaining('longer than the 1000 characters'),
    })
  })

  it('charges for a long answer what it would cost by REST', async () => {
    const { relay, ports } = await aRelay(aRate({ perSecond: 1e-9, burst: 100 }))

    const { body } = await relay.ask(caller('rome'), { method: 'GET', path: '/openapi.json' })

    expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.0' })
    const left = 100 - 1 - answerTokens(body.length)
    expect(ports.share.rate.take('rome', left + 0.1)).toBeDefined()
    expect(ports.share.rate.take('rome', left - 0.1)).toBeUndefined()
  })

  it('carries out no command of a caller that is shut out before its body is read', async () => {
    const { relay, post, ports } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const before = ports.writer.index()
    let asked = 0
    const revoked = () => {
      asked += 1
      if (asked > 1) throw new BrokerError('CertificateRevoked')
      return { id: 'rome', isOperator: false }
    }

    const body = JSON.stringify({ requestedResources: { cpu: '1' } })
    const answer = await relay.ask(revoked, { method: 'POST', path: '/reservations', body })

    expect(JSON.parse(answer.body)).toMatchObject({ code: 'CertificateRevoked' })
    expect(ports.writer.index()).toBe(before)
  })

  it('carries out no command of a cluster that is denied before its body is read', async () => {
    const { relay, post, ports, admission } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const before = ports.writer.index()
    let asked = 0
    const late = () => {
      asked += 1
      if (asked > 1) admission.current = { deny: new Set(['rome']) }
      return { id: 'rome', isOperator: false }
    }

    const body = JSON.stringify({ requestedResources: { cpu: '1' } })
    const answer = await relay.ask(late, { method: 'POST', path: '/reservations', body })

    expect(JSON.parse(answer.body)).toMatchObject({ code: 'ClusterDenied' })
    expect(ports.writer.index()).toBe(before)
  })

  it('tells nothing more to a cluster that is denied while it watches', async () => {
    const { relay, post, admission } = await aRelay()
    await post('paris', '/advertisements', advertisement('paris'))
    const watching = relay.watch(caller('paris'), { method: 'GET', path: '/instructions' }, NEVER)

    await watching.next()
    const told = watching.next()
    await expect.poll(relay.waiting).toBe(1)
    admission.current = { deny: new Set(['paris']) }
    await post('rome', '/reservations', { requestedResources: { cpu: '2' } })

    expect((await told).value).toMatchObject({ status: 403 })
    expect((await watching.next()).done).toBe(true)
  })
})
