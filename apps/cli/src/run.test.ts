import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'
import { playBroker, type Scene, type ScriptedBroker, STAMP } from '@bourse/testkit/scripted-broker'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { aReservation } from '../fixtures/samples.ts'
import { BIN, bourse, type Ended } from '../fixtures/test-cli.ts'

/** So many are told to the hour: a busy machine may take minutes. */
const IN_20_HOURS = new Date(Date.now() + 20 * 3_600_000).toISOString()
const RESERVATION = aReservation({
  requestedResources: { cpu: '2', memory: '4Gi' },
  status: { phase: 'Reserved', message: 'held', expiresAt: IN_20_HOURS },
  cost: { perHour: '0.18', currency: 'USD' },
})
const CLUSTER = {
  clusterID: 'paris',
  clusterName: 'Paris',
  resources: {
    capacity: { cpu: '16', memory: '64Gi' },
    allocatable: { cpu: '16', memory: '64Gi' },
    allocated: { cpu: '4', memory: '8Gi' },
    reserved: { cpu: '2050m', memory: '4Gi' },
    available: { cpu: '9950m', memory: '53248Mi' },
  },
  timestamp: new Date().toISOString(),
  status: {
    phase: 'Active',
    accepting: 'cordoned',
    score: '71.43',
    band: 'good',
    overcommitted: false,
    liveReservations: 3,
    lastSeenAt: '2026-11-15T00:00:00Z',
    changedAt: '2026-11-15T00:00:00Z',
  },
}
const ROWS = [
  {
    clusterID: 'paris',
    verdict: 'chosen',
    message: 'best score',
    score: '65.00',
    band: 'good',
    price: { perHour: '0.18', currency: 'USD' },
  },
  { clusterID: 'oslo', verdict: 'refused', reason: 'Stale', message: 'silent for 12m' },
]

let certificates: TestCertificates
let server = ''
let rome = ''
let script: ScriptedBroker | undefined

beforeAll(async () => {
  certificates = await makeTestCertificates()
  server = await certificates.forServer()
  rome = await certificates.forCluster('rome')
})
afterAll(() => certificates.dispose())
afterEach(() => script?.close())

describe('reserve', () => {
  const wanted = ['reserve', '--cpu', '2', '--memory', '4Gi', '--duration', '1h']

  it('says in one line what was reserved', async () => {
    const ended = await ask({ status: 201, body: RESERVATION, headers: STAMP }, ...wanted)

    expect(ended).toEqual({
      code: 0,
      out: 'Reserved rsv-1: 2 cpu, 4Gi memory on paris for rome, expires in 20h, 0.18 USD an hour.\n',
      err: '',
    })
  })

  it('sends every resource, the request id and the rest as asked', async () => {
    await ask(
      { status: 201, body: RESERVATION, headers: STAMP },
      ...['reserve', '--gpu', '1', '--resource', 'example.com/fpga=2', '--priority', '-3'],
      ...['--target', 'paris', '--requester', 'bonn', '--request-id', 'job-7'],
    )

    expect(script?.heard[0]?.body).toEqual({
      requestedResources: { gpu: '1', 'example.com/fpga': '2' },
      priority: -3,
      targetClusterID: 'paris',
      requesterID: 'bonn',
      requestId: 'job-7',
    })
  })

  it('ends with 3 when nothing fits, and shows why for each cluster', async () => {
    const problem = {
      code: 'NoClusterFits',
      detail: 'No cluster can hold 2 cpu for rome.',
      explanation: { refused: { Stale: 1 }, rows: ROWS.slice(1) },
    }

    const ended = await ask({ status: 409, body: problem, headers: STAMP }, ...wanted)

    expect(ended.code).toBe(3)
    expect(ended.err).toContain('bourse: No cluster can hold 2 cpu for rome.')
    expect(ended.err).toMatch(/oslo +refused .* silent for 12m/)
  })

  it('has no rows for clusters that were not asked', async () => {
    const other = { clusterID: 'oslo', verdict: 'refused', reason: 'NotTheTarget', message: 'no' }
    const problem = {
      code: 'NoClusterFits',
      detail: 'nowhere cannot hold 2 cpu for rome: it is not known here',
      explanation: { refused: { NotTheTarget: 1 }, rows: [other] },
    }

    const ended = await ask({ status: 409, body: problem, headers: STAMP }, ...wanted)

    expect(ended.code).toBe(3)
    expect(ended.err).toMatch(/^bourse: nowhere cannot hold 2 cpu for rome: it is not known here/)
  })

  it('tells the request id when no answer came, so that asking again is safe', async () => {
    const ended = await ask(
      ['hang up', { status: 404, body: 'no' }],
      ...wanted,
      ...['--request-id', 'job-7'],
    )

    expect(ended.code).toBe(6)
    expect(ended.err).toContain('repeat the same command with --request-id job-7')
  })

  it('activates at once when told to', async () => {
    const active = { ...RESERVATION, status: { phase: 'Active', message: '' } }
    const ended = await ask(
      [
        { status: 201, body: RESERVATION, headers: STAMP },
        { status: 200, body: active, headers: STAMP },
      ],
      ...wanted,
      '--activate',
    )

    expect(ended.out).toContain('Active rsv-1')
    expect(script?.heard[1]?.line).toBe('POST /api/v1/reservations/rsv-1/activate')
  })

  it('follows it until it ends when told to', async () => {
    const gone = { phase: 'Released', reason: 'Expired', message: '', endedAt: IN_20_HOURS }
    const ended = await ask(
      [
        { status: 201, body: RESERVATION, headers: STAMP },
        { status: 200, body: RESERVATION, headers: STAMP },
        {
          status: 200,
          body: { ...RESERVATION, index: 9, status: gone },
          headers: { ...STAMP, 'bourse-index': '9' },
        },
      ],
      ...wanted,
      ...['--watch', '-o', 'json'],
    )

    expect(ended.code).toBe(0)
    expect(ended.out.trimEnd().split('\n').at(-1)).toContain('"reason":"Expired"')
  })

  it.each([
    { name: 'nothing asked for', argv: ['reserve'], says: 'Nothing was asked for.' },
    { name: 'a broken resource', argv: ['reserve', '--resource', 'x'], says: 'Write NAME=AMOUNT' },
    { name: 'an unknown flag', argv: ['reserve', '--cpus', '1'], says: '(Did you mean --cpu?)' },
    {
      name: 'a limit that is none',
      argv: ['reservations', '--limit', 'x'],
      says: 'a whole number',
    },
    { name: 'an unknown format', argv: ['audit', '-o', 'xml'], says: 'table, wide, json, yaml' },
    {
      name: 'an address without https',
      argv: ['audit', '--broker-url', 'http://x'],
      says: 'https://HOST:PORT',
    },
  ])('ends with 2 on $name', async ({ argv, says }) => {
    const ended = await bourse([...argv], { BOURSE_CERT_PATH: rome })

    expect(ended.code).toBe(2)
    expect(ended.err).toContain(says)
  })
})

describe('answers', () => {
  const list = { status: 200, body: { items: [RESERVATION] }, headers: STAMP }

  it('come as an aligned table', async () => {
    const { out } = await ask(list, 'reservations')

    const [titles = '', row = ''] = out.split('\n')
    expect(titles).toMatch(/^ID +REQUESTER +PROVIDER +RESOURCES +PHASE +ENDS +AGE$/)
    expect(row).toMatch(/^rsv-1 +rome +paris +2 cpu, 4Gi memory +Reserved +in 20h /)
    expect(row.indexOf('paris')).toBe(titles.indexOf('PROVIDER'))
  })

  it('come as JSON and as YAML, just as they were on the wire', async () => {
    const json = await ask(list, 'reservations', '-o', 'json')
    const yaml = await ask(list, 'reservations', '-o', 'yaml')

    expect(JSON.parse(json.out)).toEqual({ items: [RESERVATION] })
    expect(parse(yaml.out)).toEqual({ items: [RESERVATION] })
  })

  it('show free capacity with units and never more than there is', async () => {
    const { out } = await ask(
      { status: 200, body: { items: [CLUSTER] }, headers: STAMP },
      'clusters',
    )

    expect(out.split('\n')[1]).toMatch(/^paris +cordoned +71\.43 +9\.95\/16 +52Gi\/64Gi +- +3 /)
  })

  it('read all pages', async () => {
    const first = { items: [RESERVATION], nextCursor: 'c1' }
    const { out } = await ask([{ status: 200, body: first }, list], 'reservations', '-o', 'json')

    expect(JSON.parse(out).items).toHaveLength(2)
    expect(script?.heard[1]?.line).toContain('cursor=c1')
  })

  it('rank clusters with score, band, price and the reason', async () => {
    const evaluation = {
      targetClusterID: 'paris',
      policy: 'resources=70,cost=30',
      request: { requesterID: 'rome', requestedResources: { cpu: '2' } },
      summary: 'paris would be chosen',
      refused: { Stale: 1 },
      rows: ROWS,
    }

    const { code, out } = await ask({ status: 200, body: evaluation }, 'evaluate', '--cpu', '2')

    expect(code).toBe(0)
    expect(out).toMatch(/CLUSTER +VERDICT +SCORE +BAND +PRICE\/H +WHY/)
    expect(out).toMatch(/paris +chosen +65\.00 +good +0\.18 USD +best score/)
    expect(out).toMatch(/oslo +refused +- +- +- +silent for 12m/)
  })

  it('stream decisions a line each', async () => {
    const event = {
      kind: 'reservation',
      change: 'reserved',
      index: 7,
      at: '2026-11-15T10:11:12Z',
      reservation: RESERVATION,
      decision: {
        policy: 'p',
        best: [{ clusterID: 'paris', score: '65.00' }],
        refused: { Stale: 1 },
      },
    }
    const stream: Scene = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...STAMP })
      response.write(`id: 7\ndata: ${JSON.stringify(event)}\n\n`)
    }

    const alive = { status: 200, body: {}, headers: STAMP }
    const { code, out } = await ask([alive, stream], 'watch', '--count', '1')

    expect(code).toBe(0)
    expect(out).toBe(
      '10:11:12  reserved    rsv-1  rome → paris  2 cpu, 4Gi memory  ' +
        '(best paris 65.00; Refused: 1 Stale.)\n',
    )
  })
})

describe('exit codes', () => {
  it.each([
    { status: 404, code: 'ReservationNotFound', exit: 4 },
    { status: 403, code: 'NotYours', exit: 5 },
    { status: 403, code: 'CertificateRevoked', exit: 5 },
    { status: 409, code: 'WrongPhase', exit: 3 },
    { status: 400, code: 'InvalidRequest', exit: 2 },
  ])('$exit for $code', async ({ status, code, exit }) => {
    const ended = await ask({ status, body: { code, detail: 'It said no.' } }, 'activate', 'rsv-1')

    expect(ended.code).toBe(exit)
    expect(ended.err).toMatch(/^bourse: It said no\.\n.+\n$/)
  })

  it('1 when the books do not add up', async () => {
    const body = {
      state: 'inconsistent',
      index: 4,
      clusters: 1,
      reservations: 1,
      findings: ['paris: 2 ≠ 3'],
    }

    const ended = await ask({ status: 200, body }, 'audit')

    expect(ended.code).toBe(1)
    expect(ended.out).toContain('paris: 2 ≠ 3')
  })

  it('5 with a certificate that cannot be read, 6 without an answer', async () => {
    const env = { BOURSE_BROKER_URL: 'https://127.0.0.1:1' }

    const noCertificate = await bourse(['audit', '--cert-path', '/nowhere'], env)
    const silent = await bourse(['audit', '--cert-path', rome], env)

    expect(noCertificate).toMatchObject({ code: 5, err: expect.stringContaining('cannot be read') })
    expect(silent).toMatchObject({ code: 6, err: expect.stringContaining('ECONNREFUSED') })
  })

  it('2 for an agent that is not told where the broker is', async () => {
    expect(await bourse([], {}, 'agent')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--broker-url is missing'),
    })
  })
})

describe('settings', () => {
  it('come from the file that BOURSE_CONFIG names, with paths beside it', async () => {
    script = await playBroker(server, [{ status: 200, body: { items: [] }, headers: STAMP }])
    const file = join(rome, '..', 'config.yaml')
    writeFileSync(file, `broker-url: ${script.url}\ncert-path: ./rome\n`)

    const ended = await bourse(['reservations'], { BOURSE_CONFIG: file })

    expect(ended).toEqual({ code: 0, out: 'No reservations.\n', err: '' })
  })

  it('are refused with a reason when the file has unknown keys', async () => {
    const file = join(rome, '..', 'bad.yaml')
    writeFileSync(file, 'brokerUrl: https://x\n')

    const ended = await bourse(['reservations'], { BOURSE_CONFIG: file })

    expect(ended.code).toBe(2)
    expect(ended.err).toContain(
      'brokerUrl is not a known setting; the keys are broker-url and cert-path',
    )
  })

  it('are asked for when there are none', async () => {
    expect(await bourse(['reservations'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Give --cert-path=DIR'),
    })
  })
})

describe('launchers', () => {
  it.each(['bourse', 'broker', 'agent'])('%s tells the version', async (program) => {
    const ended = await bourse(['--version'], {}, program)

    expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/^bourse \d+\.\d+\.\d+ /) })
  })

  it('are found through symbolic links', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bourse-link-'))
    symlinkSync(`${BIN}bourse`, join(dir, 'one'))
    symlinkSync('one', join(dir, 'two'))

    const ended = await bourse(['version'], {}, relative(BIN, join(dir, 'two')))

    expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/^bourse \d+\.\d+\.\d+ /) })
    rmSync(dir, { recursive: true })
  })

  it('take the flags of the contract for the broker and name what is wrong', async () => {
    const ended = await bourse(['--broker-interface=http', '--http-prot=8443'], {}, 'broker')

    expect(ended.code).toBe(2)
    expect(ended.err).toContain('There is no flag --http-prot. Did you mean --http-port?')
  })
})

function ask(scenes: Scene | readonly Scene[], ...argv: string[]): Promise<Ended> {
  return askAs(Array.isArray(scenes) ? (scenes as [Scene]) : [scenes as Scene], argv)
}

async function askAs(scenes: readonly [Scene, ...Scene[]], argv: string[]): Promise<Ended> {
  script = await playBroker(server, scenes)
  return bourse(argv, { BOURSE_BROKER_URL: script.url, BOURSE_CERT_PATH: rome })
}
