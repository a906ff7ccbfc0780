import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { IdentityRefused } from '../errors.ts'

export type Certificates = Readonly<{ cert: string; key: string; ca: string }>

export type CertificateFiles = {
  /** What to use now. A half-written or mismatched new set is left for the next look. */
  current(): Promise<Certificates>
}

const FILES = { cert: 'tls.crt', key: 'tls.key', ca: 'ca.crt' } as const
/** Looking is three stats: cheap, but not for each of a thousand calls a second. */
const LOOK_EVERY_MS = 1_000

/** tls.crt, tls.key and ca.crt of a directory, read again when they change. */
export function createCertificateFiles(dir: string, now: () => number): CertificateFiles {
  let loaded: { certificates: Certificates; version: string } | undefined
  let lookAgainAt = 0

  async function look(): Promise<Certificates> {
    const version = await versionOf(dir)
    if (loaded && loaded.version === version) return loaded.certificates
    const certificates = await read(dir)
    await check(certificates).then(undefined, doNotFit(dir))
    loaded = { certificates, version }
    return certificates
  }

  return {
    async current() {
      if (loaded && now() < lookAgainAt) return loaded.certificates
      lookAgainAt = now() + LOOK_EVERY_MS
      const previous = loaded?.certificates
      // Without a good set there is nothing to fall back on; with one, a bad set can wait.
      return previous === undefined ? look() : look().then(undefined, () => previous)
    },
  }
}

async function versionOf(dir: string): Promise<string> {
  const stats = await Promise.all(
    Object.values(FILES).map((name) =>
      stat(join(dir, name)).then(undefined, unreadable(dir, name)),
    ),
  )
  return stats.map(({ mtimeMs, size, ino }) => `${mtimeMs}:${size}:${ino}`).join()
}

async function read(dir: string): Promise<Certificates> {
  const load = (name: string) =>
    readFile(join(dir, name), 'utf8').then(undefined, unreadable(dir, name))
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
