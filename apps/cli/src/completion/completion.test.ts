import { STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { expect, it } from 'vitest'
import { aReservation } from '../../fixtures/samples.ts'
import { typed } from '../../fixtures/typed.ts'

const { play, rome } = useScriptedBrokers()
const paris = { clusterID: 'paris', clusterName: '', resources: {}, timestamp: '' }

it.each([
  {
    kind: 'reservations',
    items: [aReservation(), aReservation({ id: 'rsv-2' })],
    ids: 'rsv-1\nrsv-2',
  },
  { kind: 'clusters', items: [paris], ids: 'paris' },
  // A shell expands what it is offered, and would run the first.
  {
    kind: 'clusters',
    items: [{ ...paris, clusterID: '$(reboot)' }, { ...paris, clusterID: 'a b' }, paris],
    ids: 'paris',
  },
])('prints the ids of $kind for the scripts', async ({ kind, items, ids }) => {
  const { url } = await play({ status: 200, body: { items }, headers: STAMP })
  const env = { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: rome() }

  expect(await typed(['completion', '--ids', kind], env)).toEqual({ code: 0, out: ids, err: '' })
})

it('wants a shell otherwise', async () => {
  expect(await typed(['completion'])).toMatchObject({
    code: 2,
    err: expect.stringContaining("missing required argument 'shell'"),
  })
})
