import { type Scene, STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it } from 'vitest'
import { typed } from '../../../fixtures/typed.ts'

const { play, rome } = useScriptedBrokers()
const ALIVE = { status: 200, body: {}, headers: STAMP }
const opened = { kind: 'cluster', change: 'open', index: 7, at: '2026-11-15T10:11:12Z' }
const stream: Scene = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...STAMP })
  response.write(`id: 7\ndata: ${JSON.stringify({ ...opened, clusterID: 'paris' })}\n\n`)
}

it('ends when there is no answer at all', async () => {
  const { code, err } = await watch('https://127.0.0.1:1')

  expect(code).toBe(6)
  expect(err).toContain('Check --broker-url, and that the broker runs.')
})

it('goes on by itself when the stream breaks later', async () => {
  const { url } = await play(ALIVE, 'hang up', stream)

  const { code, out, err } = await watch(url)

  expect(code).toBe(0)
  expect(out).toBe('10:11:12  open        paris')
  expect(err).toContain('Trying again.')
})

it('misses nothing while a stream on which nothing has come is broken', async () => {
  const asked: unknown[] = []
  const silent: Scene = ({ headers }, response) => {
    asked.push(headers['last-event-id'])
    response.writeHead(200, { 'content-type': 'text/event-stream', ...STAMP })
    response.write(':\n\n', () => response.destroy())
  }
  const goingOn: Scene = (request, response) => {
    asked.push(request.headers['last-event-id'])
    stream(request, response)
  }
  const { url } = await play(ALIVE, silent, goingOn)

  await watch(url)

  expect(asked).toEqual([undefined, STAMP['bourse-index']])
})

it('begins with the last changes, and goes on from there when the stream breaks', async () => {
  const broken: Scene = (request, response) => {
    stream(request, response)
    setImmediate(() => response.destroy())
  }
  const broker = await play(ALIVE, broken, stream)

  const { out } = await watch(broker.url, '--last', '20', '--count', '2')

  expect(out.split('\n')).toHaveLength(2)
  expect(broker.heard.slice(1).map(({ line }) => line)).toEqual([
    'GET /api/v1/events?last=20',
    'GET /api/v1/events',
  ])
})

describe('advertisements', () => {
  const resources = { capacity: { cpu: '4' }, allocatable: { cpu: '4' }, allocated: {} }
  const advertised = { ...opened, change: 'advertised', clusterID: 'oslo', resources }
  const both: Scene = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...STAMP })
    for (const event of [advertised, { ...opened, clusterID: 'paris' }])
      response.write(`id: 7\ndata: ${JSON.stringify(event)}\n\n`)
  }

  it('are hidden, since every cluster repeats them', async () => {
    const { url } = await play(ALIVE, both)

    expect((await watch(url)).out).toBe('10:11:12  open        paris')
  })

  it('are shown to whom asks for them', async () => {
    const { url } = await play(ALIVE, both)

    expect((await watch(url, '--advertisements')).out).toBe(
      '10:11:12  advertised  oslo  4 cpu allocatable',
    )
  })
})

function watch(url: string, ...flags: string[]) {
  const env = { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: rome() }
  return typed(['watch', '--count', '1', ...flags], env)
}
