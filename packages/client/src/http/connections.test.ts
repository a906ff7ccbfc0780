import { playBroker, STAMP } from '@bourse/testkit/scripted-broker'
import { useCertificates } from '@bourse/testkit/use-certificates'
import { expect, it } from 'vitest'
import { createHttpBroker } from './http-broker.ts'

const certificates = useCertificates()

it('keeps long polls on connections of their own, and uses the others again', async () => {
  const script = await playBroker(await certificates().forServer(), [
    { status: 200, body: {}, headers: STAMP },
    'stay silent',
    { status: 200, body: {}, headers: STAMP },
  ])
  const broker = createHttpBroker({
    url: script.url,
    certPath: await certificates().forCluster('rome'),
  })

  await broker.ping()
  const waiting = broker.fetchInstructions({ waitMs: 30_000 }).catch(() => 'ended')
  await expect.poll(() => script.heard.length).toBe(2)
  await broker.ping()
  await broker.close()

  const [first, poll, last] = script.heard.map(({ connection }) => connection)
  expect(poll).not.toBe(first)
  expect(last).toBe(first)
  expect(await waiting).toBe('ended')
  await script.close()
})

it('needs no more connections for a crowd of first calls than for later ones', async () => {
  const script = await playBroker(await certificates().forServer(), [
    { status: 200, body: {}, headers: STAMP },
  ])
  const broker = createHttpBroker({
    url: script.url,
    certPath: await certificates().forCluster('rome'),
  })

  await Promise.all(Array.from({ length: 20 }, () => broker.ping()))

  expect(script.heard).toHaveLength(20)
  expect(new Set(script.heard.map(({ connection }) => connection)).size).toBeLessThanOrEqual(4)
  await broker.close()
  await script.close()
})
