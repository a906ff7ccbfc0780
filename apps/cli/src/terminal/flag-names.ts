/** Flags by the field of a request that they set. */
const FLAGS: Readonly<Record<string, string>> = {
  duration: '--duration',
  priority: '--priority',
  targetClusterID: '--target',
  requesterID: '--requester',
  providerID: '--provider',
  requestId: '--request-id',
  'Idempotency-Key': '--request-id',
  grace: '--grace',
  phase: '--phase',
  role: '--role',
  limit: '--limit',
  oneNode: '--one-node',
  'requestedResources.cpu': '--cpu',
  'requestedResources.memory': '--memory',
  'requestedResources.gpu': '--gpu',
  'requestedResources.storage': '--storage',
  requestedResources: '--cpu, --memory, --gpu, --storage, --resource',
}
const RESOURCE = /^requestedResources(?:\.([\w-]+)|\["(.+)"\])$/

/** What was typed for a field of the JSON: `--cpu` for `requestedResources.cpu`. */
export function flagOfPath(path: string): string {
  const [, plain, quoted] = RESOURCE.exec(path) ?? []
  return FLAGS[path] ?? ((plain ?? quoted) ? `--resource ${plain ?? quoted}` : path)
}
