import { type Lock, nameOf } from './lock.ts'

/** A package of others that is in what we ship. */
export type ShippedPackage = Readonly<{
  /** Where it is installed, such as `node_modules/zod`. */
  path: string
  name: string
  version: string
  license: string
  /** Of its archive, as the lock has it. */
  integrity: string
}>

/**
 * What is in the bundle, by the files that went into it, and in the page, by what its package
 * declares: what we need for building alone is in neither.
 */
export function shippedPackages(lock: Lock, bundled: readonly string[]): ShippedPackage[] {
  const paths = new Set([
    ...bundled.flatMap((file) => packagePath(file, lock)),
    ...pagePackages(lock),
  ])
  const shipped = [...paths].sort().map((path) => {
    const { version, license, integrity } = lock.packages[path] ?? {}
    if (!version || !license || !integrity)
      throw new Error(`package-lock.json does not say what ${path} is: run make lock.`)
    return { path, name: nameOf(path), version, license, integrity }
  })
  // The same package may be installed at two places.
  return [...new Map(shipped.map((one) => [`${one.name}@${one.version}`, one])).values()]
}

/**
 * `node_modules/@a/b/c.js` is of `node_modules/@a/b`. Where node_modules is a link, the bundler names
 * what it leads to: the folders before the lock's path are left out.
 */
function packagePath(file: string, { packages }: Lock): string[] {
  const [found] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
  if (found === undefined) return []
  const segments = found.split('/')
  const tails = segments.map((_, from) => segments.slice(from).join('/'))
  return [tails.find((path) => packages[path]) ?? found]
}

/** The page takes only types from our own packages, and what it takes from others has no dependencies. */
function pagePackages({ packages }: Lock): string[] {
  const names = Object.keys(packages['apps/dashboard']?.dependencies ?? {})
  const foreign = names.filter((name) => !name.startsWith('@bourse/'))
  return foreign.map((name) => {
    const path = `node_modules/${name}`
    if (packages[path]?.dependencies)
      throw new Error(`${name} has dependencies, which the list of what the page ships leaves out.`)
    return path
  })
}
