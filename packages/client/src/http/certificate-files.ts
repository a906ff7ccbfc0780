import { X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { isProtectedKey, PROTECTED_KEY } from '@bourse/pki/protected-key'
import { IdentityRefused } from '../communicator/errors.ts'

export type Certificates = Readonly<{ cert: string; key: string; ca: string }>

export type CertificateFiles = ReturnType<typeof createCertificateFiles>

const FILES = { cert: 'tls.crt', key: 'tls.key', ca: 'ca.crt' } as const
/** A check is three stats: cheap, but not for each of a thousand calls a second. */
const LOOK_EVERY_MS = 1_000

/** tls.crt, tls.key and ca.crt of a directory, read again when they change. */
export function createCertificateFiles(dir: string, now: () => number) {
  let loaded: { certificates: Certificates; version: string } | undefined
  let lookAgainAt = 0
  let looking: Promise<Certificates> | undefined

  async function look(): Promise<Certificates> {
    const version = await versionOf(dir)
    if (loaded && loaded.version === version) return loaded.certificates
    const certificates = await read(dir)
    refuseProtectedKey(certificates, dir)
    await check(certificates).catch(doNotFit(dir))
    loaded = { certificates, version }
    return certificates
  }

  /** Shared by concurrent callers: each set that is read opens its own connections. */
  function lookTogether(): Promise<Certificates> {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }

  return {
    /** The current set. A half-written or mismatched new set is ignored until the next check. */
    async current(): Promise<Certificates> {
      if (loaded && now() < lookAgainAt) return loaded.certificates
      lookAgainAt = now() + LOOK_EVERY_MS
      const previous = loaded?.certificates
      // A bad new set is ignored while there is a good one.
      return previous === undefined ? lookTogether() : lookTogether().catch(() => previous)
    },
    /** Why a broker may not accept our certificate, if that can be seen here. */
    flaw: () => (loaded ? flawOf(loaded.certificates, now()) : undefined),
  }
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

function flawOf({ cert, ca }: Certificates, now: number): string | undefined {
  const own = new X509Certificate(cert)
  if (now > own.validToDate.getTime()) return `it expired on ${own.validToDate.toISOString()}`
  if (now < own.validFromDate.getTime())
    return `it is valid only from ${own.validFromDate.toISOString()}`
  // Node's keyUsage lists the extended usages, if the certificate has any.
  const usages = own.keyUsage as readonly string[] | undefined
  if (usages && !usages.includes(CLIENT_AUTH)) return 'it is not a client certificate'
  const isIssued = pemBlocks(ca).some((pem) => own.checkIssued(new X509Certificate(pem)))
  return isIssued ? undefined : 'the authority in ca.crt did not issue it'
}

function pemBlocks(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
}

async function versionOf(dir: string): Promise<string> {
  const versions: string[] = []
  // In order: of several missing files, the same one is named each time.
  for (const name of Object.values(FILES)) {
    const found = await stat(join(dir, name)).catch(unreadable(dir, name))
    versions.push(`${found.mtimeMs}:${found.size}:${found.ino}`)
  }
  return versions.join()
}

async function read(dir: string): Promise<Certificates> {
  const load = (name: string) => readFile(join(dir, name), 'utf8').catch(unreadable(dir, name))
  const [cert, key, ca] = await Promise.all([load(FILES.cert), load(FILES.key), load(FILES.ca)])
  return { cert, key, ca }
}

function unreadable(dir: string, name: string) {
  return (cause: unknown): never => {
    throw new IdentityRefused(
      `${join(dir, name)} cannot be read; a client needs tls.crt, tls.key and ca.crt there.`,
      { cause },
    )
  }
}

function refuseProtectedKey({ key }: Certificates, dir: string): void {
  if (isProtectedKey(key)) throw new IdentityRefused(`tls.key in ${dir} ${PROTECTED_KEY}.`)
}

/** Rejects when the key does not belong to the certificate, or one is not PEM. */
async function check({ cert, key, ca }: Certificates): Promise<void> {
  createSecureContext({ cert, key, ca })
}

function doNotFit(dir: string) {
  return (cause: unknown): never => {
    throw new IdentityRefused(
      `tls.crt, tls.key and ca.crt in ${dir} are not PEM, or do not belong together.`,
      { cause },
    )
  }
}
