import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anAdvertisement, eventually, startBroker, type TestBroker } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeOpensslCertificates } from '../fixtures/openssl-certificates.ts'
import { bourse } from '../fixtures/test-cli.ts'

describe('with a real broker', () => {
  let broker: TestBroker
  let rome: Readonly<Record<string, string>>
  let operator: Readonly<Record<string, string>>
  beforeAll(async () => {
    broker = await startBroker()
    const { certificates, url } = broker
    rome = { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: await certificates.forCluster('rome') }
    operator = { BOURSE_BROKER_URL: url, BOURSE_CERT_PATH: await certificates.forOperator() }
    const paris = await broker.aClient('paris')
    await paris.publishAdvertisement(anAdvertisement('paris', { cpu: '16' }))
  })
  afterAll(() => broker.dispose())

  it('goes from a request to its end, also across a crash of the broker', async () => {
    const made = await bourse(['reserve', '--cpu', '2', '--duration', '20h', '-o', 'json'], rome)
    const { id } = JSON.parse(made.out)
    await broker.kill()
    await broker.restart()
    const explained = await eventually('The decision is explained', async () => {
      const ended = await bourse(['explain', id], rome)
      return ended.code === 0 ? ended : undefined
    })
    const active = await bourse(['activate', id], rome)
    const released = await bourse(['release', id], rome)

    expect(made.code).toBe(0)
    expect(explained.out).toMatch(/paris +chosen/)
    expect(active.out).toBe(`Active ${id}: 2 cpu on paris for rome, expires in 20h.\n`)
    expect(released.out).toMatch(
      new RegExp(`^Released ${id}: 2 cpu on paris for rome, ended (now|\\w+ ago)\\.\n$`),
    )
  })

  it('shows how far two clusters have peered, and what keeps them', async () => {
    const made = await bourse(['reserve', '--cpu', '1', '-o', 'json'], rome)
    const id = `ps-${'a'.repeat(26)}`
    const requester = await broker.aClient('rome')
    await requester.openPeering({ id, providerID: 'paris', networking: 'none', hello: 'sealed' })
    const provider = await broker.aClient('paris')
    await provider.reportPeeringTrouble(id, { reason: 'NoTenant', message: 'Liqo is away.' })

    const listed = await bourse(['peerings', '--provider', 'paris'], operator)
    const explained = await bourse(['explain', JSON.parse(made.out).id], rome)
    const asData = await bourse(['explain', JSON.parse(made.out).id, '-o', 'json'], operator)
    const shown = await bourse(['peerings', id, '-o', 'yaml'], rome)
    const others = await bourse(['peerings', '--requester', 'oslo'], operator)
    const closed = await bourse(['peerings', id, '--close'], operator)
    const gone = await bourse(['peerings', id], rome)

    expect(listed.out).toMatch(/rome +paris +open +paris: nonce +NoTenant/)
    expect(explained.out).toMatch(/paris +chosen/)
    expect(explained.out).toContain('paris is stuck: NoTenant: Liqo is away.')
    expect(explained.out).toMatch(/nonce +paris +awaited/)
    expect(JSON.parse(asData.out).peering).toMatchObject({ id, state: 'open' })
    expect(shown.out).toContain(`id: ${id}`)
    expect(others.out).toBe('No peering sessions.\n')
    expect(closed.err).toBe('Closed. The agents of rome and paris are told.\n')
    expect(gone.err).toContain(`There is no peering session ${id}.`)
  })

  it('says why nothing fits', async () => {
    const ended = await bourse(['reserve', '--cpu', '17'], rome)

    expect(ended.code).toBe(3)
    expect(ended.err).toContain('No cluster can hold 17 cpu for rome')
  })

  it('shows an operator the clusters and the audit, and others only what is theirs', async () => {
    const clusters = await bourse(['clusters'], operator)
    const audit = await bourse(['audit'], operator)
    const refused = await bourse(['clusters'], rome)

    expect(clusters.out).toMatch(/paris +open +\d+\.\d\d +1[0-9]\/16 +32Gi\/32Gi/)
    expect(audit.out).toMatch(/State +consistent/)
    expect(refused).toMatchObject({ code: 5, out: '' })
  })

  it('streams a decision to its watchers', async () => {
    const { index = 0 } = await (await broker.anOperator()).ping()
    const after = ['--after', String(index)]
    const watching = bourse(['watch', '--only', 'reservation', '--count', '1', ...after], operator)

    await bourse(['reserve', '--cpu', '1'], rome)

    expect((await watching).out).toMatch(/reserved .*rome → paris.*\(best paris \d+\.\d\d/)
  })

  it('verifies, exports and imports the ledger beside the running broker', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'bourse-export-'))
    onTestFinished(() => rmSync(scratch, { recursive: true }))
    const [out, into] = [join(scratch, 'backup'), join(scratch, 'restored')]

    const verified = await bourse(['ledger', 'verify', '--data-dir', broker.dataDir])
    const exported = await bourse(['ledger', 'export', '--data-dir', broker.dataDir, '--out', out])
    const imported = await bourse(['ledger', 'import', out, '--data-dir', into])
    const again = await bourse(['ledger', 'import', out, '--data-dir', into])

    expect(verified.out).toMatch(/Verdict +sound/)
    expect(exported).toMatchObject({ code: 0, err: expect.stringContaining('Exported') })
    expect(imported.out).toMatch(/^Imported .* ledger [0-9a-z-]+ at index \d+\.\n$/)
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') })
  })

  it('says of a ledger what could not be told, and fails where it is damaged', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'bourse-damaged-'))
    onTestFinished(() => rmSync(scratch, { recursive: true }))
    const [out, into] = [join(scratch, 'backup'), join(scratch, 'restored')]
    await bourse(['ledger', 'export', '--data-dir', broker.dataDir, '--out', out])
    await bourse(['ledger', 'import', out, '--data-dir', into])

    rmSync(join(into, 'bourse.witness'))
    const unwitnessed = await bourse(['ledger', 'verify', '--data-dir', into])
    const database = readFileSync(join(into, 'bourse.db'))
    const at = database.indexOf(/Hash +(\w+)/.exec(unwitnessed.out)?.[1] ?? '')
    database[at] = (database[at] ?? 0) ^ 1
    writeFileSync(join(into, 'bourse.db'), database)
    const damaged = await bourse(['ledger', 'verify', '--data-dir', into])

    expect(unwitnessed.out).toMatch(/Verdict +sound as far as can be told/)
    expect(unwitnessed).toMatchObject({ code: 0, out: expect.stringContaining('is missing') })
    expect(damaged).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/bourse:.*atch/) })
  })
})

describe('with certificates made by openssl, RSA 4096', () => {
  it('the broker starts on the flags of the contract and knows its callers', async () => {
    const certificates = makeOpensslCertificates()
    const broker = await startBroker({ certificates })
    const env = {
      BOURSE_BROKER_URL: broker.url,
      BOURSE_CERT_PATH: await certificates.forOperator(),
    }

    const ended = await bourse(['clusters'], env)

    expect(ended).toEqual({ code: 0, out: 'No cluster has advertised yet.\n', err: '' })
    await broker.dispose()
    certificates.dispose()
  })
})
