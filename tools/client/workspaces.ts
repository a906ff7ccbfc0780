import { readFileSync } from 'node:fs'
import { join } from 'node:path/posix'

/** Our packages of which the client is made. */
const NAMES = ['client', 'contract', 'kube', 'pki'] as const

type Manifest = Readonly<{
  name: string
  exports: Record<string, string>
  dependencies: Record<string, string>
}>

/** What their manifests say: versions of packages of others, and where ours export from. */
export function workspaces() {
  const manifests = new Map(NAMES.map((name) => [name, readManifest(`packages/${name}`)]))
  return { versionOf, nameOf, sourceOf }

  function versionOf(name: string): string {
    const versions = [...manifests.values()].map(({ dependencies }) => dependencies[name])
    const version = versions.find((one) => one !== undefined)
    if (version === undefined) throw new Error(`No package of ours depends on ${name}`)
    return version
  }

  /** `@bourse/contract/kinds` is `contract/src/kinds/index.ts`. */
  function sourceOf(specifier: string): string {
    for (const [folder, { name, exports }] of manifests)
      for (const [entry, source] of Object.entries(exports))
        if (join(name, entry) === specifier) return join(folder, source)
    throw new Error(`${specifier} is not exported`)
  }
}

/** `zod/v4/core` is of the package zod. */
function nameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
}
