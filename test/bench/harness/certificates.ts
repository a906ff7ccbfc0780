import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'

export type BenchCertificates = Readonly<{
  authority: TestCertificates
  server: string
  /** Directories with tls.crt, tls.key and ca.crt; made on first use. */
  clusters(prefix: string, count: number): Promise<readonly Identity[]>
  dispose(): void
}>

export type Identity = Readonly<{ clusterId: string; directory: string }>

/** One authority for the whole run: a thousand certificates take seconds to make. */
export async function makeBenchCertificates(): Promise<BenchCertificates> {
  const certificates = await makeTestCertificates()
  const made = new Map<string, Identity>()
  return {
    authority: certificates,
    server: await certificates.forServer(),
    dispose: certificates.dispose,

    async clusters(prefix, count) {
      const identities: Identity[] = []
      for (let number = 0; number < count; number += 1) {
        const clusterId = `${prefix}-${number}`
        const known = made.get(clusterId)
        const directory = known?.directory ?? (await certificates.forCluster(clusterId))
        const identity = known ?? { clusterId, directory }
        made.set(clusterId, identity)
        identities.push(identity)
      }
      return identities
    },
  }
}
