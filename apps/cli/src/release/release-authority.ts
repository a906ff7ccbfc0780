import { X509Certificate } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Authority, initAuthority, openAuthority } from '../ca/authority.ts'
import { addressesIn } from '../ca/certificate-names.ts'
import type { Role } from '../ca/issued-records.ts'
import { CliError, ExitCode } from '../terminal/cli-error.ts'
import type { Release } from './release.ts'
import type { Files, SecretFiles } from './secret-files.ts'

type Ports = Readonly<{ secrets: SecretFiles; now: () => Date }>

type Order = Readonly<{
  /** Host names and addresses of the broker; none: those that its certificate has. */
  names: readonly string[]
  days: number
}>

/** What became of one Secret. `why` is absent: it was kept. */
export type Renewal = Readonly<{ secret: string; why?: string; expiresAt: Date }>

const AUTHORITY_DAYS = 3_650
const DAY_MS = 86_400_000
/** Renewed when a third of its days is left: there is time to notice that it fails. */
const LEFT_BEFORE_RENEWAL = 1 / 3

/** The authority of a release, which its Job has made. */
export function withReleaseAuthority<T>(
  release: Release,
  ports: Ports,
  work: (authority: Authority) => Promise<T>,
): Promise<T> {
  const { namespace, secrets: names } = release
  return inDirectory(release, ports, (authority, dir) => {
    if (existsSync(join(dir, 'ca.key'))) return work(authority)
    throw new CliError(
      ExitCode.notFound,
      `The Secret ${namespace}/${names.authority} holds no authority that \`bourse ca\` has made.`,
      "The chart's Job makes one. Where cert-manager does, ask it for certificates.",
    )
  })
}

/**
 * The authority, in a directory that goes when the work is done. What it records is written to its
 * Secret before a certificate exists, so that every certificate can be revoked.
 */
async function inDirectory<T>(
  { namespace, name, secrets: names }: Release,
  { secrets, now }: Ports,
  work: (authority: Authority, dir: string) => Promise<T>,
): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-release-'))
  const dir = join(scratch, names.authority)
  const save = () => secrets.write(names.authority, filesIn(dir))
  const flag = `--release ${namespace}/${name}`
  try {
    fill(dir, await secrets.read(names.authority))
    return await work(openAuthority(dir, now, { save, flag }), dir)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** Makes what is missing, and renews what expires, was revoked or is for other names. */
export function renewRelease(
  release: Release,
  ports: Ports,
  { names, days }: Order,
): Promise<readonly Renewal[]> {
  const { broker, operator } = release.secrets
  const isAddress = (name: string) => isIP(name) !== 0
  const named = names.length > 0 && {
    dns: names.filter((name) => !isAddress(name)),
    ip: names.filter(isAddress),
  }
  return inDirectory(release, ports, async (authority, dir) => {
    if (!existsSync(join(dir, 'ca.key'))) await makeAuthority(release, ports, dir)
    const renew = (wanted: Wanted) => renewOne(wanted, { ...ports, authority, dir, days })
    return [
      await renew({ secret: broker, name: release.name, role: 'server', ...named }),
      await renew({ secret: operator, name: 'operator', role: 'operator' }),
    ]
  })
}

async function makeAuthority({ name, secrets: names }: Release, ports: Ports, dir: string) {
  const { secrets, now } = ports
  await initAuthority(dir, { name: `${name} CA`, keyType: 'ec', days: AUTHORITY_DAYS, now: now() })
  // Of two that make one at once, the second is refused here, and signs nothing.
  await secrets.write(names.authority, filesIn(dir))
}

type Wanted = Readonly<{
  secret: string
  name: string
  role: Role
  dns?: readonly string[]
  ip?: readonly string[]
}>
type Around = Ports & Readonly<{ authority: Authority; dir: string; days: number }>

async function renewOne({ secret, ...leaf }: Wanted, around: Around): Promise<Renewal> {
  const { secrets, authority, dir, days } = around
  const out = join(dir, '..', secret)
  fill(out, await secrets.read(secret))
  const why = whyDue(out, leaf, around)
  if (why !== undefined) await authority.issue({ ...leaf, days, out, replace: true })
  const crl = join(dir, 'crl.pem')
  if (existsSync(crl)) copyFileSync(crl, join(out, 'crl.pem'))
  await secrets.write(secret, filesIn(out))
  const { validToDate: expiresAt } = certificateIn(out, 'tls.crt')
  return { secret, expiresAt, ...(why !== undefined && { why }) }
}

function whyDue(
  out: string,
  { dns = [], ip = [] }: Pick<Wanted, 'dns' | 'ip'>,
  { authority, dir, now, days }: Around,
): string | undefined {
  if (!existsSync(join(out, 'tls.crt')) || !existsSync(join(out, 'tls.key'))) return 'was missing'
  const certificate = certificateIn(out, 'tls.crt')
  const { publicKey } = certificateIn(dir, 'ca.crt')
  if (!certificate.verify(publicKey)) return 'was of another authority'
  const left = certificate.validToDate.getTime() - now().getTime()
  if (left < days * DAY_MS * LEFT_BEFORE_RENEWAL) return 'expired soon'
  const serial = certificate.serialNumber.toLowerCase()
  const record = authority.list().find((one) => one.serial === serial)
  if (record?.revokedAt !== undefined) return 'was revoked'
  const has = addressesIn(join(out, 'tls.crt'))
  const isNamed =
    dns.every((one) => has.dns?.includes(one)) && ip.every((one) => has.ip?.includes(one))
  return isNamed ? undefined : 'was for other names'
}

function certificateIn(dir: string, file: string): X509Certificate {
  return new X509Certificate(readFileSync(join(dir, file)))
}

function fill(dir: string, files: Files): void {
  mkdirSync(dir, { mode: 0o700 })
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(dir, name), text, { mode: 0o600 })
}

function filesIn(dir: string): Files {
  const names = readdirSync(dir)
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dir, name), 'utf8')]))
}
