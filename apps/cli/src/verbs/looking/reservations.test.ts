import { STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { expect, it } from 'vitest'
import { typed } from '../../../fixtures/typed.ts'

const { play, rome } = useScriptedBrokers()
const none = { status: 200, body: { items: [] }, headers: STAMP }

it('asks the broker for those of a requester, on a provider, in some phases, all in any case', async () => {
  const { url, heard } = await play(none)
  const filters = ['--requester', 'Oslo', '--provider', 'PARIS', '--phase', 'active, RELEASED']

  await typed(['reservations', ...filters], { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: rome() })

  const { searchParams } = new URL(heard[0]?.line.split(' ')[1] ?? '', url)
  expect(Object.fromEntries(searchParams)).toMatchObject({
    requesterID: 'oslo',
    providerID: 'paris',
    phase: 'Active,Released',
  })
})

it('knows which phases there are', async () => {
  const { code, err } = await typed(['reservations', '--phase', 'done'])

  expect(code).toBe(2)
  expect(err).toContain("'done' is not one of Pending, Reserved, Active, Released, Failed.")
})
