import { writeFileSync } from 'node:fs'
import { foreignPackages, type LockedPackage, lockFile, nameOf, readLock } from './lock.ts'

/**
 * Adds what `npm ci` looks for and a registry that has only some platforms' packages could not
 * give: run it after `npm install` has changed the lock. What is added has its exact version and its
 * platform, yet no hash, as the package is not there to be hashed; `npm ci` passes it over elsewhere.
 */
const PLATFORM =
  /(?<os>android|darwin|freebsd|linux|netbsd|openbsd|openharmony|win32|wasm32)-(?<cpu>arm64|arm|ia32|ppc64|riscv64|s390x|wasi|x64)/

const lock = readLock()
const known = new Set(foreignPackages(lock).map(([path]) => nameOf(path)))
const missing = Object.values(lock.packages).flatMap(({ dev, optionalDependencies = {} }) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => !known.has(name))
    .map(([name, version]) => [`node_modules/${name}`, placeholder(name, version, dev)] as const),
)
const all = [...Object.entries(lock.packages), ...missing]
lock.packages = Object.fromEntries(all.sort(([one], [other]) => one.localeCompare(other, 'en')))
writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${missing.length} packages of other platforms added to package-lock.json.`)

function placeholder(name: string, version: string, dev: boolean | undefined): LockedPackage {
  const { os = '', cpu = '' } = PLATFORM.exec(name)?.groups ?? {}
  if (os === '') throw new Error(`For which platform is ${name}? Add it to the lock by hand.`)
  const marks = { ...(dev && { dev }), optional: true }
  // WebAssembly is named as a processor, with any system.
  if (os === 'wasm32') return { version, cpu: [os], ...marks }
  return { version, cpu: [cpu], ...marks, os: [os] }
}
