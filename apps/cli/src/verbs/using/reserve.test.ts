import { type Scene, type ScriptedBroker, STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it } from 'vitest'
import { aReservation } from '../../../fixtures/samples.ts'
import { typed } from '../../../fixtures/typed.ts'

const RESERVATION = aReservation({ requestId: 'job-7' })
const ENDED = aReservation({
  requestId: 'job-7',
  status: { phase: 'Released', message: '', endedAt: '2026-11-15T01:00:00Z' },
})
const GRANTED = { status: 201, body: RESERVATION, headers: STAMP }
const FOUND_ENDED = { status: 200, body: ENDED, headers: STAMP }
const LOST: readonly [Scene, Scene] = ['hang up', { status: 404, body: 'no' }]

const { play, rome, certificates } = useScriptedBrokers()
const wanted = ['reserve', '--cpu', '2', '--request-id', 'job-7']

describe('an answer that never came', () => {
  it('is settled for the same requester, at the same broker, as the same caller', async () => {
    const broker = await play(...LOST)
    const where = ['--broker-url', broker.url, '--cert-path', rome()]

    const { code, err } = await typed([...wanted, '--requester', 'bonn', ...where])

    expect(code).toBe(6)
    expect(err).toContain('repeat the same command with --request-id job-7;')
    expect(err).toContain(`bourse release --request-id job-7 --requester bonn ${where.join(' ')}`)
  })

  it('has nothing to repeat of flags that were not given', async () => {
    const { err } = await as(rome(), await play(...LOST), wanted)

    expect(err).toMatch(/bourse release --request-id job-7$/)
  })

  it('leaves nothing to find out where there was no connection', async () => {
    const nowhere = { url: 'https://127.0.0.1:1' }

    const { code, err } = await as(rome(), nowhere, wanted)

    expect(code).toBe(6)
    expect(err).toMatch(/ECONNREFUSED.*\nCheck --broker-url, and that the broker runs\.$/)
  })
})

it('says so where a priority counts less than was asked for', async () => {
  const capped = { ...GRANTED, body: { ...RESERVATION, priority: 100 } }

  const { err } = await as(rome(), await play(capped, capped), [...wanted, '--priority', '5000'])

  expect(err).toContain('Note: priority 5000 counts as 100, the most that --max-priority allows')
})

it('asks for one node, and says so where sums decided and no node has as much', async () => {
  const status = { ...RESERVATION.status, message: 'Reserved on paris; largest free node: 1 CPU' }
  const spread = { ...GRANTED, body: { ...RESERVATION, largestNode: { cpu: '1' }, status } }
  const broker = await play(spread, GRANTED)

  const { err } = await as(rome(), broker, wanted)
  await as(rome(), broker, [...wanted, '--one-node'])

  expect(err).toContain('Note: Reserved on paris; largest free node: 1 CPU. --one-node refuses')
  expect(broker.heard.map(({ body }) => (body as { oneNode?: true } | undefined)?.oneNode)).toEqual(
    [undefined, true],
  )
})

describe('a reservation that has ended', () => {
  it('is shown when its request id is repeated, and is not a success', async () => {
    const { code, out, err } = await as(rome(), await play(FOUND_ENDED), [...wanted, '-o', 'json'])

    expect(code).toBe(3)
    expect(JSON.parse(out)).toEqual(ENDED)
    expect(err).toContain('The reservation of this request has ended.')
    expect(err).toContain('Use another --request-id')
  })

  it.each(['--watch', '--activate'])('is over at once with %s', async (flag) => {
    const broker = await play(FOUND_ENDED, 'stay silent')

    const { code } = await as(rome(), broker, [...wanted, flag])

    expect(code).toBe(3)
    expect(broker.heard).toHaveLength(1)
  })
})

describe('an operator', () => {
  const unknown = { status: 404, body: { code: 'AdvertisementNotFound', detail: 'no' } }
  const known = { clusterID: 'rome', clusterName: '', resources: {}, timestamp: '' }

  const list = { status: 200, body: { items: [known] }, headers: STAMP }
  const forRome = [...wanted, '--duration', '1h', '--requester', 'rome']

  it('is asked for which cluster, and books nothing for itself', async () => {
    const broker = await play({ status: 200, body: known }, GRANTED)

    const unasked = await as(await operator(), broker, wanted)
    const asked = await as(await operator(), broker, [...wanted, '--duration', '1h'], 'rome')

    expect(unasked.code).toBe(2)
    expect(unasked.err).toContain('For which cluster? operator is an operator, not a cluster.')
    expect(asked).toMatchObject({ code: 0, err: '' })
    expect(broker.heard[1]?.body).toMatchObject({ requesterID: 'rome' })
  })

  it('cannot reserve by a typo: the requester has to have advertised', async () => {
    const broker = await play(unknown, list)

    const { code, err } = await as(await operator(), broker, [...wanted, '--requester', 'rom'])

    expect(code).toBe(4)
    expect(err).toContain('No cluster rom has advertised here. Did you mean rome?')
    expect(err).toContain('add --force')
    expect(broker.heard.map(({ line }) => line.split('?')[0])).toEqual([
      'GET /api/v1/advertisements/rom',
      'GET /api/v1/advertisements',
    ])
  })

  it('may insist', async () => {
    const broker = await play(GRANTED)

    const { code } = await as(await operator(), broker, [...forRome, '--force'])

    expect(code).toBe(0)
    expect(broker.heard).toHaveLength(1)
  })

  it('is told nothing about a requester that is known', async () => {
    const { code, err } = await as(
      await operator(),
      await play({ status: 200, body: known }, GRANTED),
      forRome,
    )

    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  it('says whose request to release', async () => {
    const release = ['release', '--request-id', 'job-7']
    const broker = await play({ status: 204, headers: STAMP })

    const nobody = await as(await operator(), broker, release)
    const named = await as(await operator(), broker, [...release, '--requester', 'rome'])

    expect(nobody).toMatchObject({ code: 2, err: expect.stringContaining('For which cluster?') })
    expect(named).toMatchObject({ out: expect.stringContaining('by rome;'), err: '' })
    expect(broker.heard).toHaveLength(1)
  })
})

describe('without a duration', () => {
  it('says that capacity is held until it is released', async () => {
    const { err } = await as(rome(), await play(GRANTED), wanted)

    expect(err).toBe('No --duration was given: held until it is released.')
  })

  it('says until when the broker holds it by default', async () => {
    const status = { ...RESERVATION.status, expiresAt: '2026-11-15T08:00:00Z' }
    const bounded = { ...GRANTED, body: { ...RESERVATION, status } }

    const { err } = await as(rome(), await play(bounded), wanted)

    expect(err).toContain('held until 2026-11-15T08:00:00Z, as long as the broker holds by default')
  })
})

describe('several reservations', () => {
  const released = (id: string) => ({
    status: 200,
    body: aReservation({ ...ENDED, id }),
    headers: STAMP,
  })
  const missing = {
    status: 404,
    body: { code: 'ReservationNotFound', detail: 'There is no rsv-8.' },
  }

  it('are released in one call, whatever is wrong with one of them', async () => {
    const broker = await play(released('rsv-7'), missing, released('rsv-9'))

    const { code, out, err } = await as(rome(), broker, ['release', 'rsv-7', 'rsv-8', 'rsv-9'])

    expect(code).toBe(4)
    expect(out.match(/rsv-\d/g)).toEqual(['rsv-7', 'rsv-9'])
    expect(err).toContain('There is no rsv-8.')
  })

  it('come as a list where a program asked', async () => {
    const broker = await play(released('rsv-7'), released('rsv-9'))

    const { out } = await as(rome(), broker, ['release', 'rsv-7', 'rsv-9', '-o', 'json'])

    expect(JSON.parse(out).items).toMatchObject([{ id: 'rsv-7' }, { id: 'rsv-9' }])
  })
})

describe('a refusal', () => {
  const row = (clusterID: string, reason = 'Insufficient') => ({
    clusterID,
    reason,
    verdict: 'refused',
    message: `${clusterID} is full`,
  })
  const refusal = (refused: object, rows: object[]) => ({
    status: 409,
    headers: STAMP,
    body: { code: 'NoClusterFits', detail: 'No.', explanation: { refused, rows } },
  })

  it('says how many clusters it leaves out', async () => {
    const broker = await play(
      refusal({ Insufficient: 3, Stale: 2, NotTheTarget: 9 }, [row('oslo'), row('bonn')]),
    )

    const { code, err } = await as(rome(), broker, wanted)

    expect(code).toBe(3)
    expect(err).toContain('bonn is full\nand 3 more: bourse evaluate --cpu 2\n')
  })

  it('gives the reasons once, in the table', async () => {
    const { body, ...reply } = refusal({ Insufficient: 1 }, [row('oslo')])
    const detail = 'No cluster can hold 2 cpu for rome (insufficient capacity): oslo is full'
    const broker = await play({ ...reply, body: { ...body, detail } })

    const { err } = await as(rome(), broker, wanted)

    expect(err).toContain('bourse: No cluster can hold 2 cpu for rome (insufficient capacity).\n')
    expect(err.match(/oslo is full/g)).toHaveLength(1)
  })

  it('is asked about again with all that was typed', async () => {
    const broker = await play(refusal({ NoNodeFits: 1 }, [row('oslo')]))

    const { err } = await as(rome(), broker, [...wanted, '--one-node'])

    expect(err).toMatch(/for other amounts: bourse evaluate --cpu 2 --one-node$/)
  })

  it('says nothing of more where all are shown', async () => {
    const { err } = await as(rome(), await play(refusal({ Stale: 1 }, [row('oslo')])), wanted)

    expect(err).not.toContain('more:')
  })

  it('points to the ranking of all clusters where the target is none of them', async () => {
    const broker = await play(refusal({ NotTheTarget: 1 }, [row('oslo', 'NotTheTarget')]))

    const { err } = await as(rome(), broker, [...wanted, '--target', 'nosuch'])

    expect(err).toMatch(/which clusters there are: bourse evaluate --cpu 2$/)
  })

  it('points to other amounts where the target is full', async () => {
    const broker = await play(refusal({ Insufficient: 1 }, [row('oslo')]))

    const { err } = await as(rome(), broker, [...wanted, '--target', 'oslo', '--one-node'])

    expect(err).toMatch(/for other amounts: bourse evaluate --cpu 2 --target oslo --one-node$/)
  })
})

it.each([
  { argv: ['--cpu', '2', '--resource', 'cpu=1'], says: 'by --cpu and by --resource cpu=' },
  { argv: ['--resource', 'fpga=2', '--resource', 'fpga=1'], says: 'fpga is given twice' },
])('takes no two amounts of the same: $argv', async ({ argv, says }) => {
  const { code, err } = await as(rome(), { url: 'https://127.0.0.1:1' }, ['reserve', ...argv])

  expect(code).toBe(2)
  expect(err).toContain(says)
})

const operator = () => certificates().forOperator()

function as(
  certPath: string,
  { url }: Pick<ScriptedBroker, 'url'>,
  argv: readonly string[],
  answer?: string,
) {
  return typed(argv, { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: certPath }, answer)
}
