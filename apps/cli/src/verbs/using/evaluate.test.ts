import { STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { expect, it } from 'vitest'
import { typed } from '../../../fixtures/typed.ts'

const { play, rome, certificates } = useScriptedBrokers()

it('says once that nothing fits, and ends with 3', async () => {
  const summary = 'No cluster can hold 99 cpu for rome: oslo has 2 cpu, 99 wanted.'
  const broker = await play({
    status: 200,
    headers: STAMP,
    body: {
      targetClusterID: '',
      policy: 'resources=100',
      summary,
      request: { requesterID: 'rome', requestedResources: { cpu: '99' } },
      refused: { Insufficient: 1 },
      rows: [
        {
          clusterID: 'oslo',
          verdict: 'refused',
          reason: 'Insufficient',
          message: 'oslo has 2 cpu, 99 wanted',
        },
      ],
    },
  })
  const env = { BOURSE_BROKER_URL: broker.url, BOURSE_CERT_PATH: rome() }

  const { code, out, err } = await typed(['evaluate', '--cpu', '99'], env)

  expect(code).toBe(3)
  expect(out).toMatch(/^99 cpu for rome\nPolicy resources=100; nothing was changed\.\n\nCLUSTER /)
  expect(err).toBe('bourse: No cluster can hold 99 cpu for rome.')
})

it('knows for whom an operator asks, as reserve does', async () => {
  const unknown = { status: 404, body: { code: 'AdvertisementNotFound', detail: 'no' } }
  const list = { status: 200, body: { items: [] }, headers: STAMP }
  const broker = await play(unknown, list)
  const env = {
    BOURSE_BROKER_URL: broker.url,
    BOURSE_CERT_PATH: await certificates().forOperator(),
  }

  const unasked = await typed(['evaluate', '--cpu', '1'], env)
  const mistyped = await typed(['evaluate', '--cpu', '1', '--requester', 'rom'], env)

  expect(unasked).toMatchObject({ code: 2 })
  expect(unasked.err).toContain('For which cluster? operator is an operator, not a cluster.')
  expect(mistyped).toMatchObject({ code: 4 })
  expect(mistyped.err).toContain('No cluster rom has advertised here.')
})
