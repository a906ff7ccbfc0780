// Budget: 30 seconds. What an operator does with a federation, from its authority to its last cluster.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anAdvertisement, eventually, startBroker, type TestBroker } from '@bourse/testkit'
import type { TestCertificates } from '@bourse/testkit/certificates'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bourse } from '../fixtures/test-cli.ts'

describe('an operator', () => {
  const home = mkdtempSync(join(tmpdir(), 'bourse-operation-'))
  const pki = join(home, 'pki')
  let broker: TestBroker

  beforeAll(async () => {
    const made = await bourse(['ca', 'init', '--dir', pki, '--name', 'a federation'])
    expect(made, made.err).toMatchObject({ code: 0 })
    await issue('broker', '--server')
    await issue('alice', '--operator')
    for (const cluster of ['rome', 'paris', 'oslo']) await issue(cluster)
    broker = await startBroker({ certificates: issued })
    const paris = await broker.aClient('paris')
    await paris.publishAdvertisement(anAdvertisement('paris', { cpu: '16' }))
  })
  afterAll(async () => {
    await broker?.dispose()
    rmSync(home, { recursive: true, force: true })
  })

  it('gives a reservation more time', async () => {
    const id = await reserved('1h')

    const renewed = await as('rome', 'renew', id, '--duration', '20h')

    expect(renewed).toMatchObject({ code: 0, out: expect.stringContaining('expires in 20h') })
  })

  it('releases what a cluster has reserved, and is named for it', async () => {
    const id = await reserved('1h')

    const released = await as('alice', 'release', id, '--reason', 'maintenance of rack 7')
    const told = await as('rome', 'reservations', id, '-o', 'json')

    expect(released.code).toBe(0)
    expect(JSON.parse(told.out)).toMatchObject({
      endedBy: 'operator:alice@rest',
      endedWhy: 'maintenance of rack 7',
      status: { message: 'Released on request by operator alice: maintenance of rack 7' },
    })
  })

  it('cordons a cluster, so that nothing new comes there, and opens it again', async () => {
    const cordoned = await as('alice', 'cordon', 'paris')
    const refused = await as('rome', 'reserve', '--cpu', '1')
    const opened = await as('alice', 'uncordon', 'paris')
    const granted = await as('rome', 'reserve', '--cpu', '1')
    const foreign = await as('rome', 'cordon', 'paris')

    expect(cordoned.out).toMatch(/paris +cordoned/)
    expect(refused).toMatchObject({ code: 3, err: expect.stringMatching(/cordoned|accept/) })
    expect(opened.out).toMatch(/paris +open/)
    expect(granted.code).toBe(0)
    expect(foreign.code).toBe(5)
  })

  it('withdraws a cluster, which ends what it holds, and keeps one whose agent runs', async () => {
    const id = await reserved('1h')

    const early = await as('alice', 'decommission', 'paris', '--yes')
    const unsure = await as('alice', 'withdraw', 'paris')
    const withdrawn = await as('alice', 'withdraw', 'paris', '--grace', '0s', '--yes')
    const ended = await eventually('It has ended', async () => {
      const { out } = await as('rome', 'reservations', id, '-o', 'json')
      const { status } = JSON.parse(out)
      return status.phase === 'Released' ? status : undefined
    })
    const loud = await as('alice', 'decommission', 'paris', '--yes')

    expect(early).toMatchObject({ code: 3, err: expect.stringContaining('still holds') })
    expect(unsure).toMatchObject({ code: 2, err: expect.stringContaining('rome (') })
    expect(withdrawn.out).toMatch(/paris +withdrawn/)
    expect(ended).toMatchObject({ reason: 'Withdrawn' })
    expect(loud).toMatchObject({
      code: 3,
      err: expect.stringContaining('agent of paris still runs'),
    })
  })

  it('revokes a certificate, and its holder is a stranger from then on', async () => {
    const before = await as('oslo', 'reservations')

    const revoked = await bourse(['ca', 'revoke', 'oslo', '--dir', pki])
    copyFileSync(join(pki, 'crl.pem'), join(broker.certPath, 'crl.pem'))
    const after = await eventually('Oslo is refused', async () => {
      const ended = await as('oslo', 'reservations')
      return ended.code === 0 ? undefined : ended
    })
    const others = await as('rome', 'reservations')

    expect(before.code).toBe(0)
    expect(revoked.out).toMatch(/^Revoked oslo \([0-9A-Fa-f]+\)\.\n$/)
    expect(after).toMatchObject({ code: 5, out: '', err: expect.stringContaining('revoked') })
    expect(others.code).toBe(0)
  })

  async function issue(name: string, ...flags: string[]): Promise<void> {
    const made = await bourse(['ca', 'issue', name, '--dir', pki, ...flags])
    expect(made, made.err).toMatchObject({ code: 0, out: expect.stringContaining(join(pki, name)) })
  }

  function as(name: string, ...argv: string[]) {
    return bourse(argv, { BOURSE_BROKER_URL: broker.url, BOURSE_CERT_PATH: join(pki, name) })
  }

  async function reserved(duration: string): Promise<string> {
    const made = await as('rome', 'reserve', '--cpu', '2', '--duration', duration, '-o', 'json')
    return JSON.parse(made.out).id
  }

  /** What the command line has made, where tests look for certificates. */
  const issued: TestCertificates = {
    forServer: async () => join(pki, 'broker'),
    forCluster: async (clusterId) => join(pki, clusterId),
    forOperator: async () => join(pki, 'alice'),
    forApiServer: unasked,
    forLeaf: unasked,
    revoke: unasked,
    dispose: () => {},
  }
})

function unasked(): never {
  throw new Error('No test asks for this.')
}
