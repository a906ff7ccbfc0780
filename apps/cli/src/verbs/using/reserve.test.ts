import { type Scene, type ScriptedBroker, STAMP } from '@bourse/testkit/scripted-broker'
import { useScriptedBrokers } from '@bourse/testkit/use-scripted-brokers'
import { describe, expect, it } from 'vitest'
import { aReservation } from '../../samples.fixture.ts'
import { typed } from '../../typed.fixture.ts'

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

  it('is told when capacity is reserved for the operator itself', async () => {
    const { code, err } = await as(await operator(), await play(GRANTED), wanted)

    expect(code).toBe(0)
    expect(err).toBe(
      'This is reserved for operator itself; to reserve for a cluster, use --requester.',
    )
  })

  it('is told when the requester has never advertised', async () => {
    const broker = await play(GRANTED, unknown)

    const { code, err } = await as(await operator(), broker, [...wanted, '--requester', 'nosuch'])

    expect(code).toBe(0)
    expect(err).toMatch(/^No cluster nosuch has advertised here/)
    expect(broker.heard[1]?.line).toBe('GET /api/v1/advertisements/nosuch')
  })

  it('is told nothing about a requester that is known', async () => {
    const broker = await play(GRANTED, { status: 200, body: known })

    const { err } = await as(await operator(), broker, [...wanted, '--requester', 'rome'])

    expect(err).toBe('')
  })

  it('reads whose request nothing is held for', async () => {
    const release = ['release', '--request-id', 'job-7']
    const broker = await play({ status: 204, headers: STAMP })

    const itself = await as(await operator(), broker, release)
    const other = await as(await operator(), broker, [...release, '--requester', 'rome'])

    expect(itself.out).toMatch(/^Nothing is held for job-7 by operator;/)
    expect(itself.err).toContain('use --requester')
    expect(other).toMatchObject({ out: expect.stringContaining('by rome;'), err: '' })
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
    expect(err).toContain('bonn is full\nand 3 more: bourse evaluate shows all\n')
  })

  it('says nothing of more where all are shown', async () => {
    const { err } = await as(rome(), await play(refusal({ Stale: 1 }, [row('oslo')])), wanted)

    expect(err).not.toContain('more')
  })

  it('points to the list of clusters where the target is none of them', async () => {
    const broker = await play(refusal({ NotTheTarget: 1 }, [row('oslo', 'NotTheTarget')]))

    const { err } = await as(rome(), broker, [...wanted, '--target', 'nosuch'])

    expect(err).toContain('`bourse clusters` lists the clusters')
  })

  it('points to other amounts where the target is full', async () => {
    const broker = await play(refusal({ Insufficient: 1 }, [row('oslo')]))

    const { err } = await as(rome(), broker, [...wanted, '--target', 'oslo'])

    expect(err).toContain('`bourse evaluate` shows the ranking for other amounts')
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

function as(certPath: string, { url }: Pick<ScriptedBroker, 'url'>, argv: readonly string[]) {
  return typed(argv, { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: certPath })
}
