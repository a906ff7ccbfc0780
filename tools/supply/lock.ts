import { readFileSync } from 'node:fs'

/** A package as package-lock.json has it; a workspace is one without `node_modules` in its path. */
export type LockedPackage = Readonly<{
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  os?: readonly string[]
  cpu?: readonly string[]
  dependencies?: Readonly<Record<string, string>>
  devDependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
}>

export type Lock = { version: string; packages: Record<string, LockedPackage> }

/** What was installed from elsewhere, by its path. */
export function foreignPackages({ packages }: Lock): [path: string, locked: LockedPackage][] {
  return Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
}

/** `node_modules/a/node_modules/@b/c` is the package `@b/c`. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13)

export const lockFile = new URL('../../package-lock.json', import.meta.url)

export function readLock(): Lock {
  // npm writes it, and `npm ci` refuses it where it is not whole.
  return JSON.parse(readFileSync(lockFile, 'utf8')) as Lock
}
