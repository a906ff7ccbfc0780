// Budget: 30 seconds.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { anAdvertisement, repositoryRoot, startBroker, type TestBroker } from '@bourse/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const BUILD_MS = 120_000
const COMPILER_OPTIONS = {
  strict: true,
  module: 'nodenext',
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  exactOptionalPropertyTypes: true,
}

type Manifest = Readonly<{
  exports: Record<string, unknown>
  dependencies: Record<string, string>
}>

describe('the client as a package', () => {
  const app = mkdtempSync(join(tmpdir(), 'bourse-app-'))
  let manifest: Manifest
  let broker: TestBroker

  beforeAll(async () => {
    manifest = installClient(app)
    broker = await startBroker()
  }, BUILD_MS)
  afterAll(async () => {
    await broker?.dispose()
    rmSync(app, { recursive: true })
  })

  it('runs the program of its README, compiled against its types', async () => {
    const paris = await broker.aClient('paris')
    await paris.publishAdvertisement(anAdvertisement('paris'))
    const readme = readFileSync(join(app, 'node_modules/@bourse/client/README.md'), 'utf8')
    const [, sample = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []

    compile({ 'sample.ts': sample })
    const printed = execFileSync('node', ['sample.js'], {
      cwd: app,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        BROKER_URL: broker.url,
        CERT_PATH: await broker.certificates.forCluster('rome'),
      },
    })

    expect(printed).toMatch(/^rsv-\S+ is reserved on paris\n$/)
    const rome = await broker.aClient('rome')
    const { items } = await rome.listReservations({ phases: ['Released'] })
    expect(items).toMatchObject([{ requestId: 'job-42', requesterID: 'rome' }])
  })

  it('has every entry that it names, with its types', () => {
    const entries = Object.keys(manifest.exports).map((entry) => join('@bourse/client', entry))
    const imports = entries.map((entry, at) => `import * as entry${at} from '${entry}'`)
    const used = entries.map((_, at) => `Object.keys(entry${at}).length`)

    compile({ 'entries.ts': [...imports, `console.log(JSON.stringify([${used}]))`].join('\n') })
    const printed = execFileSync('node', ['entries.js'], { cwd: app, encoding: 'utf8' })

    expect(entries).toHaveLength(5)
    for (const names of JSON.parse(printed)) expect(names).toBeGreaterThan(0)
  })

  it('refuses in a type what the broker would refuse', () => {
    const wrong = [
      "import { createHttpBroker } from '@bourse/client'",
      "const broker = createHttpBroker({ url: 'https://broker', certPath: 'pki' })",
      "broker.requestReservation({ requestedResources: { cpu: '2' }, duratoin: '1h' })",
    ]

    expect(() => compile({ 'wrong.ts': wrong.join('\n') })).toThrow(/'duratoin' does not exist/)
  })

  /** Throws what the compiler says. */
  function compile(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(app, name), text)
    const options = { compilerOptions: COMPILER_OPTIONS, files: Object.keys(files) }
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(options))
    try {
      execFileSync(join(repositoryRoot, 'node_modules/.bin/tsc'), { cwd: app, encoding: 'utf8' })
    } catch (thrown) {
      throw new Error((thrown as { stdout: string }).stdout)
    }
  }
})

/** As `npm install` of its file would, with packages of others from here: no registry is asked. */
function installClient(app: string): Manifest {
  const built = join(app, 'built')
  execFileSync('node', ['tools/client/build-client.ts', built], { cwd: repositoryRoot })
  execFileSync('npm', ['pack', built, '--pack-destination', app], { cwd: app, stdio: 'pipe' })
  const modules = join(app, 'node_modules')
  const installed = join(modules, '@bourse/client')
  mkdirSync(installed, { recursive: true })
  const { name, version, ...manifest } = JSON.parse(
    readFileSync(join(built, 'package.json'), 'utf8'),
  )
  const file = `${name.slice(1).replace('/', '-')}-${version}.tgz`
  execFileSync('tar', ['-xzf', join(app, file), '--strip-components=1', '-C', installed])
  rmSync(built, { recursive: true })
  for (const other of [...Object.keys(manifest.dependencies), '@types/node']) {
    mkdirSync(dirname(join(modules, other)), { recursive: true })
    symlinkSync(join(repositoryRoot, 'node_modules', other), join(modules, other))
  }
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module' }))
  return manifest
}
