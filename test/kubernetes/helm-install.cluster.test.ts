// Budget: 120 seconds.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bourse } from '../../apps/cli/fixtures/test-cli.ts'
import { createProgram } from '../../apps/cli/src/program.ts'
import { openTerminal } from '../../apps/cli/src/terminal/terminal.ts'
import { verbs } from '../../apps/cli/src/verbs.ts'
import { aClusterAdvertisement } from './manifests.ts'
import { createRelease } from './release.ts'

const plane = useControlPlane()
const release = createRelease(plane)
afterAll(release.stop)
let notes = ''
/** As a shell has it after the three commands: the second is a port-forward, and so an address. */
let shell: Readonly<Record<string, string>> = {}
let reserved = ''

beforeAll(async () => {
  // No agent says that what was in use is gone.
  notes = await release.helm('install', '--set=config.drain-timeout=1s')
})

/** The commands under a line of the notes that begins with these words. */
function commandsUnder(words: string): string[] {
  const [, after = ''] = notes.split(new RegExp(`^${words}.*\n\n`, 'm'))
  return (after.split('\n\n')[0] ?? '').split('\n').map((line) => line.trim())
}

/** Undefined while the broker refuses, as it does until it has read an object that was changed. */
async function done(...words: readonly string[]): Promise<string | undefined> {
  const { code, out, err } = await bourse(words, shell)
  if (code === 0) return out
  if (code !== 3) throw new Error(`bourse ${words.join(' ')}: ${err}${out}`)
  return undefined
}

async function say(...words: readonly string[]) {
  const ended = await bourse(words, shell)
  if (ended.code !== 0) throw new Error(`bourse ${words.join(' ')}: ${ended.err}${ended.out}`)
  return ended.out
}

describe('after helm install', () => {
  it('a login before the Job has run says what is missing', async () => {
    const early = await bourse(['login'], release.env())

    expect(early).toMatchObject({ code: 4, err: expect.stringContaining('is still empty') })
  })

  it('the Job makes certificates with no other rights than its own', async () => {
    const made = await release.runJob()

    expect(made.err).toBe('')
    expect(made.out).toMatch(/^bourse-broker-certificates made.*\nbourse-broker-operator made/)
  })

  it('three commands of the notes lead to an operator', async () => {
    const [login = '', forward = '', look = ''] = commandsUnder('Operate it from here')
    const url = await release.startBroker()

    const loggedIn = await bourse(login.split(' ').slice(1), release.env())
    shell = { ...release.env(), BOURSE_BROKER_URL: url }
    const looked = await bourse(look.split(' ').slice(1), shell)

    expect(loggedIn.err).toContain(forward)
    expect(forward).toBe('kubectl -n bourse-system port-forward service/bourse-broker 8443:https &')
    expect(looked).toEqual({ code: 0, out: 'No cluster has advertised yet.\n', err: '' })
  })
})

describe('then every verb that calls a broker works', () => {
  /** In an order that makes sense; each says something of what it did. */
  const journey: readonly (readonly [words: () => string[], says: RegExp])[] = [
    [() => ['clusters'], /paris +open/],
    [() => ['evaluate', '--cpu', '2', '--requester', 'rome', '--force'], /paris/],
    [() => ['reserve', '--cpu', '2', '--requester', 'rome', '--force', '-o', 'json'], /"rome"/],
    [() => ['reservations'], /rome/],
    [() => ['explain', reserved], /paris +chosen/],
    [() => ['activate', reserved], /^Active/],
    [() => ['renew', reserved, '--duration', '2h'], /expires in/],
    [() => ['watch', '--after', '0', '--count', '1'], /paris/],
    [() => ['peerings'], /No peering sessions/],
    [() => ['release', reserved], /^Released/],
    [() => ['cordon', 'paris'], /cordoned/],
    [() => ['uncordon', 'paris'], /open/],
    [() => ['withdraw', 'paris', '--yes', '--grace', '1s'], /paris/],
    [() => ['audit'], /consistent/],
    [() => ['decommission', 'paris', '--yes'], /paris was removed/],
  ]

  beforeAll(async () => {
    const paris = JSON.stringify(aClusterAdvertisement('paris'))
    await plane().kubectl(['apply', '--filename=-'], paris)
    await eventually('the broker knows it', async () => (await say('clusters')).includes('paris'))
  })

  it('none is left out', async () => {
    const calling = await Promise.all(
      verbs.map(async (verb) => ((await callsBroker(verb)) ? [verb.name] : [])),
    )

    expect(journey.map(([words]) => words()[0]).sort()).toEqual(calling.flat().sort())
  })

  it.each(journey.map(([words, says]) => ({ verb: words()[0], words, says })))(
    '$verb',
    async ({ verb, words, says }) => {
      // What was made by hand has to go by hand before the broker forgets it.
      if (verb === 'decommission') await plane().kubectl(['delete', 'cadv', 'paris'])

      const out = await eventually(`${verb} is done`, () => done(...words()))

      expect(out).toMatch(says)
      if (verb === 'reserve') reserved = JSON.parse(out).id
    },
  )
})

describe('later', () => {
  it('helm upgrade keeps the authority, and the Job what is good', async () => {
    const before = await release.filesOf('bourse-broker-ca')
    const names = '--set=http.certificates.names={broker.example.org}'

    await release.helm('upgrade', names, '--set=config.stale-after=5m')
    const renewed = await release.runJob()

    const after = await release.filesOf('bourse-broker-ca')
    expect([after['ca.crt'], after['ca.key']]).toEqual([before['ca.crt'], before['ca.key']])
    expect(renewed.out).toMatch(/certificates made: .* other names.*\nbourse-broker-operator kept/)
  })

  it('a cluster gets a certificate of that authority, and loses it', async () => {
    const out = join(release.dir, 'rome')
    const place = ['--release', 'bourse-system/bourse-broker']
    const rome = { ...shell, BOURSE_CERT_PATH: out }
    await say('ca', 'issue', 'rome', ...place, '--out', out)
    await release.mountCertificates()

    const admitted = await bourse(['reservations'], rome)
    const revoked = await say('ca', 'revoke', 'rome', ...place)
    await release.mountCertificates()

    expect(admitted).toMatchObject({ code: 0 })
    expect(revoked).toContain('Revoked rome')
    expect(await say('ca', 'list', ...place)).toMatch(/rome +cluster/)
    await expect.poll(async () => (await bourse(['reservations'], rome)).code).toBe(5)
    expect(await say('clusters')).toBe('No cluster has advertised yet.\n')
  })

  it('the login keeps to itself, and can be repeated', async () => {
    const again = await say('login')
    const elsewhere = join(release.dir, 'config.yaml')

    expect(again).toContain(`Wrote ${elsewhere}`)
    expect(readFileSync(elsewhere, 'utf8')).toContain('broker-url: "https://127.0.0.1:8443"')
    expect(existsSync(join(release.dir, 'bourse-system.bourse-broker', 'tls.key'))).toBe(true)
  })
})

/** By its flags, so that a new verb cannot be forgotten here. Logging in calls Kubernetes. */
async function callsBroker(verb: (typeof verbs)[number]): Promise<boolean> {
  const { define } = await verb.load()
  const program = createProgram(openTerminal(process), { name: verb.name, define })
  const command = program.commands.find((one) => one.name() === verb.name)
  const flags = command?.options.map(({ long }) => long) ?? []
  return flags.includes('--cert-path')
}
