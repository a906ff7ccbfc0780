import type { ControlPlane } from './control-plane.ts'

/** Everything that a broker writes, but its Lease: objects, events, and the store. */
const KINDS = [
  ...['reservations', 'clusteradvertisements', 'journalslots', 'snapshotchunks', 'historychunks'],
]
const GROUP = 'broker.fluidos.eu'
const VERSIONS =
  '{range .items[*]}{.kind} {.metadata.name} {.metadata.uid} {.metadata.resourceVersion}{"\\n"}{end}'

/** One line for each version of an object that there is. */
export async function writesSeen({ kubectl }: ControlPlane): Promise<ReadonlySet<string>> {
  const kinds = [...KINDS.map((plural) => `${plural}.${GROUP}`), 'events.events.k8s.io'].join()
  const output = `--output=jsonpath=${VERSIONS}`
  const told = await kubectl(['get', kinds, '--all-namespaces', output])
  return new Set(told.trim().split('\n'))
}

export function writtenSince(before: ReadonlySet<string>, after: ReadonlySet<string>): string[] {
  return [...after].filter((version) => !before.has(version))
}
