import { STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { expect, it } from 'vitest'
import { typed } from '../../typed.fixture.ts'

const { play, rome } = useScriptedBrokers()
const cluster = { clusterID: 'paris', clusterName: 'Paris', resources: {}, timestamp: '' }

it('says that a decommissioned cluster is gone, not how it last was', async () => {
  const { url } = await play({ status: 200, body: cluster, headers: STAMP })
  const env = { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: rome() }

  const forPeople = await typed(['decommission', 'paris'], env)
  const forPrograms = await typed(['decommission', 'paris', '-o', 'json'], env)

  expect(forPeople.out).toBe('paris was removed.')
  expect(JSON.parse(forPrograms.out)).toEqual(cluster)
})
