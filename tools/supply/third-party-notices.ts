import { readdirSync, readFileSync } from 'node:fs'
import type { ShippedPackage } from './shipped-packages.ts'

const LICENSE_FILE = /^(licen[cs]e|notice|copying)/i
const ROOT = new URL('../../', import.meta.url)

/** The licences of what we ship, in their own words, as they ask to be shipped along. */
export function thirdPartyNotices(shipped: readonly ShippedPackage[]): string {
  return shipped.map(notice).join('\n')
}

function notice({ path, name, version, license }: ShippedPackage): string {
  const directory = new URL(`${path}/`, ROOT)
  const texts = readdirSync(directory)
    .filter((file) => LICENSE_FILE.test(file))
    .map((file) => readFileSync(new URL(file, directory), 'utf8').trim())
  return [`==== ${name} ${version} (${license})`, ...texts, ''].join('\n\n')
}
