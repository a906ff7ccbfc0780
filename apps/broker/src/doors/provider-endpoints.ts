import type { Committed, LedgerWriter } from '../ledger/ledger-writer.ts'

/** Where a provider is reached, if it says so. */
export type EndpointOf = (clusterId: string) => string | undefined

/**
 * Where providers are reached, kept from committed events: a reservation's answer needs one, and
 * must not wait for a second look at the ledger.
 */
export async function createProviderEndpoints(
  writer: Pick<LedgerWriter, 'read' | 'subscribe'>,
): Promise<EndpointOf> {
  const urls = new Map<string, string>()

  function note(clusterId: string, url: string | undefined): void {
    if (url === undefined) urls.delete(clusterId)
    else urls.set(clusterId, url)
  }
  function follow({ events }: Committed): void {
    for (const event of events)
      if (event.kind === 'advertised') note(event.clusterId, event.advertisement.endpointUrl)
  }

  // Following begins within the read: nothing can be committed between the two.
  await writer.read((view) => {
    for (const { clusterId, advertisement } of view.clusters())
      note(clusterId, advertisement.endpointUrl)
    writer.subscribe(follow)
  })
  return (clusterId) => urls.get(clusterId)
}
