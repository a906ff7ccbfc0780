/*
 * `make client` writes @bourse/client, as others install it, to packages/client/dist: JavaScript
 * and types of the client and of what it needs of our other packages, in one package.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type BuildOptions, build } from 'esbuild'
import { workspaces } from './workspaces.ts'
import { writeTypes } from './write-types.ts'

/** Each entry of the package, by the source that it is made of. */
const ENTRIES: Readonly<Record<string, string>> = {
  index: 'client/src/index.ts',
  grpc: 'client/src/grpc/grpc-broker.ts',
  mqtt: 'client/src/mqtt/mqtt-broker.ts',
  kubernetes: 'client/src/kubernetes/kubernetes-broker.ts',
  contract: 'contract/src/index.ts',
}
const out = process.argv[2] ?? 'packages/client/dist'

const { versionOf, nameOf } = workspaces()
rmSync(out, { recursive: true, force: true })
const scripts = await writeScripts()
const types = writeTypes(Object.values(ENTRIES), out)
cpSync('LICENSE', `${out}/LICENSE`)
cpSync('packages/client/README.md', `${out}/README.md`)
writeFileSync(`${out}/package.json`, `${JSON.stringify(manifest(), null, 2)}\n`)
console.log(`Wrote ${out}: \`npm pack ./${out}\` makes the package.`)

/** Bundles what is ours; packages of others stay imports. */
async function writeScripts(): Promise<readonly string[]> {
  const options = {
    entryPoints: Object.entries(ENTRIES).map(([entry, source]) => ({
      in: `packages/${source}`,
      out: entry,
    })),
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    metafile: true,
    plugins: [
      {
        name: 'others-stay-imports',
        setup(bundler) {
          bundler.onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@bourse/')
              ? undefined
              : { path, external: true },
          )
        },
      },
    ],
  } satisfies BuildOptions
  const { metafile } = await build(options)
  return Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  )
}

function manifest() {
  const { version, license } = JSON.parse(readFileSync('packages/client/package.json', 'utf8'))
  const imported = [...scripts, ...types].filter((path) => !path.startsWith('node:'))
  const packages = [...new Set(imported.map(nameOf))].sort()
  return {
    name: '@bourse/client',
    version,
    description: 'Talks to a bourse broker: REST, gRPC, MQTT or Kubernetes objects',
    license,
    type: 'module',
    engines: { node: '>=24' },
    exports: Object.fromEntries(Object.entries(ENTRIES).map(exportOf)),
    types: './types/client/src/index.d.ts',
    sideEffects: false,
    dependencies: Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
  }
}

function exportOf([entry, source]: [string, string]) {
  const types = `./types/${source.replace(/\.ts$/, '.d.ts')}`
  return [entry === 'index' ? '.' : `./${entry}`, { types, default: `./${entry}.js` }]
}
