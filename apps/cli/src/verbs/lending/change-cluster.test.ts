import { STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it } from 'vitest'
import { aReservation } from '../../../fixtures/samples.ts'
import { typed } from '../../../fixtures/typed.ts'

const { play, rome } = useScriptedBrokers()
const resources = { capacity: {}, allocatable: {}, allocated: {}, reserved: {}, available: {} }
const paris = { clusterID: 'paris', clusterName: 'Paris', resources, timestamp: '' }
const cluster = { status: 200, body: paris, headers: STAMP }
const empty = { status: 200, body: { items: [] }, headers: STAMP }
const held = ['rome', 'oslo', 'rome'].map((requesterID) => aReservation({ requesterID }))
const full = { status: 200, body: { items: held }, headers: STAMP }

describe('withdraw', () => {
  it('says what it will end, and ends nothing without a yes', async () => {
    const broker = await play(cluster, full, cluster)

    const { code, err } = await typed(['withdraw', 'paris'], env(broker))

    expect(code).toBe(2)
    expect(err).toContain('paris holds 3 reservations of rome (2), oslo (1). All of it ends in 5m.')
    expect(err).toContain('Nothing was changed. Add --yes')
    expect(broker.heard.map(({ line }) => line)).toEqual([
      'GET /api/v1/advertisements/paris',
      expect.stringMatching(/^GET .*\/reservations\?providerID=paris/),
    ])
  })

  it.each([
    { name: '--yes', flags: ['--yes'], answer: undefined },
    { name: 'a yes', flags: [], answer: 'Yes' },
  ])('gives five minutes of grace after $name', async ({ flags, answer }) => {
    const broker = await play(cluster, full, cluster)

    const { code } = await typed(['withdraw', 'paris', ...flags], env(broker), answer)

    expect(code).toBe(0)
    expect(broker.heard[2]?.body).toEqual({ grace: '5m' })
  })

  it('takes another answer for a no', async () => {
    const broker = await play(cluster, empty, cluster)

    const { code, err } = await typed(['withdraw', 'paris'], env(broker), 'later')

    expect(code).toBe(2)
    expect(err).toContain('paris holds no reservations')
    expect(broker.heard).toHaveLength(2)
  })
})

describe('decommission', () => {
  it('says that the cluster is gone, not how it last was', async () => {
    const forPeople = await typed(
      ['decommission', 'paris', '--yes'],
      env(await play(cluster, empty, cluster)),
    )
    const forPrograms = await typed(
      ['decommission', 'paris', '-y', '-o', 'json'],
      env(await play(cluster, empty, cluster)),
    )

    expect(forPeople.out).toBe('paris was removed.')
    expect(JSON.parse(forPrograms.out)).toEqual(paris)
  })

  it('leaves it to the broker to refuse what still holds something', async () => {
    const refusal = { status: 409, body: { code: 'StillInUse', detail: 'paris still holds it.' } }
    const broker = await play(cluster, full, refusal)

    const { code, err } = await typed(['decommission', 'paris'], env(broker))

    expect(code).toBe(3)
    expect(err).toContain('paris still holds it.')
  })
})

it.each(['withdraw', 'decommission'])(
  '%s does not ask about a cluster that is none',
  async (verb) => {
    const unknown = { status: 404, body: { code: 'AdvertisementNotFound', detail: 'No.' } }

    const { code } = await typed([verb, 'pariss'], env(await play(unknown)), 'yes')

    expect(code).toBe(4)
  },
)

function env({ url }: { url: string }) {
  return { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: rome() }
}
