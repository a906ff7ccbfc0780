import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { initAuthority, openAuthority } from '../ca/authority.ts'

const DAYS = 30
/** The certificates must outlast a demo that is started now. */
const DAYS_LEFT_MIN = 2
const DAY_MS = 86_400_000

export type DemoCertificates = Readonly<{
  broker: string
  operator: string
  of(clusterId: string): string
}>

/**
 * A CA, the broker's certificate, an operator's and one for each cluster: made once, then kept,
 * until they are about to expire.
 */
export async function prepareCertificates(
  dataDir: string,
  clusterIds: readonly string[],
  now = () => new Date(),
): Promise<DemoCertificates> {
  const dir = join(dataDir, 'pki')
  // Certificates are worth nothing without their CA, so all are issued again.
  if (!isGood(join(dir, 'ca.crt'), now())) rmSync(dir, { recursive: true, force: true })
  if (!existsSync(join(dir, 'ca.key')))
    await initAuthority(dir, { name: 'bourse demo CA', keyType: 'ec', days: DAYS, now: now() })
  const authority = openAuthority(dir, now)
  const pathOf = (name: string) => join(dir, name)

  await issueOnce('broker', 'server')
  await issueOnce('operator', 'operator')
  for (const clusterId of clusterIds) await issueOnce(clusterId, 'cluster')
  return { broker: pathOf('broker'), operator: pathOf('operator'), of: pathOf }

  async function issueOnce(name: string, role: 'server' | 'operator' | 'cluster'): Promise<void> {
    if (isGood(join(pathOf(name), 'tls.crt'), now())) return
    await authority.issue({ name, role, days: DAYS, out: pathOf(name), replace: true })
  }
}

function isGood(path: string, now: Date): boolean {
  if (!existsSync(path)) return false
  const { validToDate } = new X509Certificate(readFileSync(path))
  return validToDate.getTime() - now.getTime() > DAYS_LEFT_MIN * DAY_MS
}
