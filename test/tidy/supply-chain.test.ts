import { execFileSync } from 'node:child_process'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { bundleOptions } from '../../tools/bundle.ts'
import { billOfMaterials } from '../../tools/supply/bill-of-materials.ts'
import { isAllowed } from '../../tools/supply/licenses.ts'
import { foreignPackages, type LockedPackage, nameOf, readLock } from '../../tools/supply/lock.ts'
import { shippedPackages } from '../../tools/supply/shipped-packages.ts'
import { sourceFiles } from './source-files.ts'

const lock = readLock()
const foreign = foreignPackages(lock)
const root = new URL('../../', import.meta.url)

type Manifest = Pick<LockedPackage, 'dependencies' | 'devDependencies' | 'optionalDependencies'>

function dependenciesOf(manifest: Manifest): [name: string, version: string][] {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
}

/** Where we build and run: what is for other machines may be unknown to the registry we use. */
function isForOthers({ optional, os, cpu }: LockedPackage): boolean {
  const isOurs = (os ?? ['linux']).includes('linux') && /x64|arm64/.test(`${cpu ?? 'x64'}`)
  return optional === true && !isOurs
}

async function bundled() {
  const { metafile } = await build({
    ...bundleOptions,
    absWorkingDir: root.pathname,
    write: false,
    metafile: true,
  })
  return shippedPackages(lock, Object.keys(metafile.inputs))
}

describe('supply chain', () => {
  it('every version of a package is written out', () => {
    const loose = sourceFiles(/(^|\/)package\.json$/).flatMap(({ path, text }) =>
      dependenciesOf(JSON.parse(text))
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`),
    )

    expect(loose).toEqual([])
  })

  it('the lock has a hash of each package that we install, and names no registry', () => {
    const unsealed = foreign.filter(([, one]) => !/^sha512-/.test(one.integrity ?? ''))

    expect(unsealed.filter(([, one]) => !isForOthers(one)).map(([path]) => path)).toEqual([])
    expect(foreign.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  it('the lock knows the packages of every platform, without which npm ci refuses it', () => {
    const known = new Set(foreign.map(([path]) => nameOf(path)))
    const missing = foreign
      .flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => !known.has(name))

    expect(missing, 'run make lock').toEqual([])
  })

  it('every licence is one that we may use', () => {
    const strange = foreign
      .filter(([, one]) => !isForOthers(one) && !isAllowed(one.license, 'tool'))
      .map(([path, { license }]) => `${path}: ${license}`)

    expect(strange).toEqual([])
  })

  it.each([
    ['MIT', 'shipped', true],
    ['(Apache-2.0 AND BSD-3-Clause)', 'shipped', true],
    ['GPL-3.0-only OR MIT', 'shipped', true],
    ['MIT AND GPL-3.0-only', 'shipped', false],
    ['MPL-2.0', 'tool', true],
    ['MPL-2.0', 'shipped', false],
    ['SEE LICENSE IN LICENSE.md', 'tool', false],
    [undefined, 'tool', false],
  ] as const)('a licence of %s in what is %s: %s', (license, use, verdict) => {
    expect(isAllowed(license, use)).toBe(verdict)
  })

  it('what is shipped is listed with version, licence and hash, and what only builds is not', async () => {
    const shipped = await bundled()

    const { metadata, components } = billOfMaterials(lock.version, shipped)

    expect(metadata.component).toMatchObject({ name: 'bourse', version: lock.version })
    const names = shipped.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['fastify', 'zod', 'undici', 'preact', 'yaml']))
    for (const tool of ['vite', 'esbuild', 'vitest', 'typescript', 'playwright-core'])
      expect(names).not.toContain(tool)
    expect(shipped.filter(({ license }) => !isAllowed(license, 'shipped'))).toEqual([])
    for (const { hashes } of components) expect(hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/)
    expect(components.find(({ purl }) => purl.startsWith('pkg:npm/%40connectrpc/'))).toMatchObject({
      group: '@connectrpc',
      name: 'connect',
    })
  })

  it('no package runs a script of its own when it is installed', () => {
    const [npmrc] = sourceFiles(/^\.npmrc$/)

    expect(npmrc?.lines).toContain('ignore-scripts=true')
  })

  it('every stage of the image comes from a digest, or from a stage before it', () => {
    const [dockerfile] = sourceFiles(/^Dockerfile$/)
    const stages = dockerfile?.lines.filter((line) => line.startsWith('FROM ')) ?? []
    const unpinned = stages.filter((line) => !/^FROM (scratch|\S+@(\$\{\w+\}|sha256:))/.test(line))

    expect(stages.length).toBeGreaterThan(0)
    expect(unpinned).toEqual([])
    // The builder says which digest: no default could be checked here.
    expect(dockerfile?.lines).toContain('ARG NODE_DIGEST')
  })

  it('an image is not built from a base that may be another tomorrow', () => {
    const image = (digest: string) =>
      execFileSync('make', ['--dry-run', 'image', `NODE_DIGEST=${digest}`], { cwd: root })
    const refused = () =>
      execFileSync('make', ['image', 'NODE_DIGEST=latest'], { cwd: root, stdio: 'pipe' })

    expect(`${image(`sha256:${'0'.repeat(64)}`)}`).toContain('docker build')
    expect(refused).toThrow(/by its digest/)
  })

  it('Python packages come by their hashes', () => {
    const files = sourceFiles(/^tools\/.*requirements\.txt$/)
    const required = files.flatMap(({ text }) =>
      text.split(/\n(?=\S)/).filter((one) => /==/.test(one)),
    )

    expect(required.length).toBeGreaterThan(0)
    expect(required.filter((one) => !/--hash=sha256:[0-9a-f]{64}/.test(one))).toEqual([])
    for (const { text } of files) expect(text).not.toMatch(/https?:|--(extra-)?index|--find-links/)
  })
})
