// Budget: 60 seconds.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { anAdvertisement, repositoryRoot, startBroker, type TestBroker } from '@bourse/testkit'
import { findTools } from '@bourse/testkit/control-plane'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { run } from './chart.ts'
import { buildBundle } from './image.ts'

const HOMEPAGE = 'https://bourse.example'

type Platform = Readonly<{ uri: string; sha256: string; bin: string }>
type Plugin = Readonly<{
  metadata: { name: string }
  spec: { version: string; shortDescription: string; platforms: [Platform] }
}>

describe('kubectl bourse', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-plugin-'))
  const kubectl = findTools()('kubectl')
  const path = [join(dir, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':')
  let plugin: Plugin
  let archive: string
  let broker: TestBroker

  beforeAll(async () => {
    const context = join(dir, 'src')
    await buildBundle(context)
    for (const one of ['tools/release.ts', 'deploy'])
      cpSync(join(repositoryRoot, one), join(context, one), { recursive: true })
    await run('node', ['tools/release.ts', HOMEPAGE], { cwd: context })
    plugin = parse(readFileSync(join(context, 'release/bourse.yaml'), 'utf8'))
    archive = join(context, `release/bourse-${plugin.spec.version}.tar.gz`)
    install()
    broker = await startBroker()
  })
  afterAll(async () => {
    await broker?.dispose()
    rmSync(dir, { recursive: true })
  })

  it('is what krew is told to download', () => {
    const { metadata, spec } = plugin
    const [{ uri, sha256 }] = spec.platforms
    const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))

    expect(metadata.name).toBe('bourse')
    expect(spec.version).toBe(`v${version}`)
    const file = `bourse-v${version}.tar.gz`
    expect(uri).toBe(`${HOMEPAGE}/releases/download/v${version}/${file}`)
    expect(createHash('sha256').update(readFileSync(archive)).digest('hex')).toBe(sha256)
    // What krew's index asks for.
    expect(spec.shortDescription.length).toBeLessThan(50)
    const listed = execFileSync('tar', ['-tvzf', archive], { encoding: 'utf8' }).trim().split('\n')
    expect(listed.filter((line) => !/^[d-]/.test(line))).toEqual([])
    expect(listed.some((line) => line.endsWith(' ./LICENSE'))).toBe(true)
  })

  it('is found by kubectl, and asks a broker', async () => {
    const paris = await broker.aClient('paris')
    await paris.publishAdvertisement(anAdvertisement('paris'))
    const certPath = await broker.certificates.forOperator()

    const plugins = call(['plugin', 'list'])
    const clusters = call([
      'bourse',
      'clusters',
      '--broker-url',
      broker.url,
      '--cert-path',
      certPath,
    ])

    expect(plugins).toContain(join(dir, 'bin/kubectl-bourse'))
    expect(call(['bourse', 'version'])).toMatch(/^bourse \d+\.\d+\.\d+ /)
    expect(clusters).toMatch(/^paris /m)
  })

  it('names commands as they are typed', () => {
    expect(() => call(['bourse', 'list'])).toThrow('`kubectl bourse --help` lists all verbs.')
  })

  /** As krew does: unpacked to its store, and a link to its program. */
  function install(): void {
    const store = join(dir, 'store')
    mkdirSync(store)
    mkdirSync(join(dir, 'bin'))
    execFileSync('tar', ['-xzf', archive, '-C', store])
    const [{ bin }] = plugin.spec.platforms
    symlinkSync(join(store, bin), join(dir, 'bin/kubectl-bourse'))
  }

  function call(args: readonly string[]): string {
    return execFileSync(kubectl, args, {
      encoding: 'utf8',
      stdio: 'pipe',
      env: { PATH: path, HOME: dir },
    })
  }
})
