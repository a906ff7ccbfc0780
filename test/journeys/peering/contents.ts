import type { Kubectl } from '@bourse/testkit/control-plane'

/** Told by many about anything; certificate requests are removed by Kubernetes an hour later. */
const PASSING = /^(events|certificatesigningrequests)\b/
/** Keys of other clusters stay pinned when two have parted. */
const KEPT = 'ConfigMap default/bourse-peers'
const COLUMNS = 'KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name'

/** Everything that is in a cluster, by kind and name. */
export async function contentsOf(kubectl: Kubectl): Promise<ReadonlySet<string>> {
  const kinds = await kubectl(['api-resources', '--verbs=list,delete', '--output=name'])
  const lasting = kinds.split('\n').filter((kind) => kind !== '' && !PASSING.test(kind))
  const listed = await kubectl([
    ...['get', lasting.join(','), '--all-namespaces', '--no-headers', '--ignore-not-found'],
    `--output=custom-columns=${COLUMNS}`,
  ])
  return new Set(
    listed.split('\n').map((line) => {
      const [kind, namespace, name] = line.split(/\s+/)
      return `${kind} ${namespace}/${name}`
    }),
  )
}

/** What is there now and was not. */
export function addedTo(before: ReadonlySet<string>, now: ReadonlySet<string>): string[] {
  return [...now].filter((one) => !before.has(one) && one !== KEPT)
}
