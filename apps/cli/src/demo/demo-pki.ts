import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { initAuthority, openAuthority } from '../ca/authority.ts'

const DAYS = 30

export type DemoCertificates = Readonly<{
  broker: string
  operator: string
  of(clusterId: string): string
}>

/** A CA, the broker's certificate, an operator's and one for each cluster; made once, then kept. */
export async function prepareCertificates(
  dataDir: string,
  clusterIds: readonly string[],
): Promise<DemoCertificates> {
  const dir = join(dataDir, 'pki')
  const now = () => new Date()
  if (!existsSync(join(dir, 'ca.key')))
    await initAuthority(dir, { name: 'bourse demo CA', keyType: 'ec', days: DAYS, now: now() })
  const authority = openAuthority(dir, now)
  const pathOf = (name: string) => join(dir, name)

  await issueOnce('broker', 'server')
  await issueOnce('operator', 'operator')
  for (const clusterId of clusterIds) await issueOnce(clusterId, 'cluster')
  return { broker: pathOf('broker'), operator: pathOf('operator'), of: pathOf }

  async function issueOnce(name: string, role: 'server' | 'operator' | 'cluster'): Promise<void> {
    if (existsSync(join(pathOf(name), 'tls.crt'))) return
    await authority.issue({ name, role, days: DAYS, out: pathOf(name) })
  }
}
