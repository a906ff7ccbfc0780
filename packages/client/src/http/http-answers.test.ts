import { makeTestCertificates } from '@bourse/testkit/certificates'
import { playBroker, STAMP } from '@bourse/testkit/scripted-broker'
import { expect, it } from 'vitest'
import { createHttpBroker } from './http-broker.ts'

const page = (id: string, nextCursor?: string) => ({
  status: 200,
  body: { items: [{ id, status: { phase: 'Reserved' } }], nextCursor },
  headers: STAMP,
})

it('accepts a 404 of the Go original as a sign of life', async () => {
  const certificates = await makeTestCertificates()
  const notFound = { status: 404, body: '404 page not found\n' }
  const script = await playBroker(await certificates.forServer(), [notFound])
  const broker = createHttpBroker({
    url: script.url,
    certPath: await certificates.forCluster('rome'),
  })

  const stamp = await broker.ping()

  expect(stamp.ledgerId).toBeUndefined()
  await broker.close()
  await script.close()
  certificates.dispose()
})

it('watches all of what was requested, however many pages it takes', async () => {
  const certificates = await makeTestCertificates()
  const script = await playBroker(await certificates.forServer(), [page('a', 'c1'), page('b')])
  const broker = createHttpBroker({
    url: script.url,
    certPath: await certificates.forCluster('rome'),
  })
  const ending = new AbortController()
  const seen: string[][] = []

  for await (const { reservations } of broker.watchReservations({ signal: ending.signal })) {
    seen.push(reservations.map(({ id }) => id))
    ending.abort()
  }

  expect(seen).toEqual([['a', 'b']])
  expect(script.heard[1]?.line).toBe('GET /api/v1/reservations?role=requester&limit=1000&cursor=c1')
  await broker.close()
  await script.close()
  certificates.dispose()
})
