import { createPrivateKey, type KeyObject } from 'node:crypto'
import { ignoring, isNotFound, type KubeClient } from '@bourse/kube'
import { CONFIG_MAP, type ConfigMap, SECRET } from '../../../kubernetes/kinds.ts'
import { KEYS_NAME, type Secret, textIn } from './secrets.ts'

/** What this cluster's Liqo is called, and which one it is. */
type LiqoFacts = Readonly<{ liqoId: string; version?: string }>
export type OwnLiqo = ReturnType<typeof createOwnLiqo>

type Ports = Readonly<{ client: Pick<KubeClient, 'get' | 'list'>; namespace: string }>

/** As Liqo's chart names it, unless it is told another name; its label is always this one. */
const ID_NAME = 'liqo-clusterid-configmap'
const ID_SELECTOR = 'app.kubernetes.io/name=clusterid-configmap'
const VERSION_LABEL = 'app.kubernetes.io/version'

/** Reads who this cluster is to Liqo: set once when Liqo was installed, and never changed. */
export function createOwnLiqo({ client, namespace }: Ports) {
  let known: LiqoFacts | undefined

  return {
    /** Rejects, with what to do, where there is no Liqo. */
    facts: async (): Promise<LiqoFacts> => (known ??= await read()),
    /** As far as they are known already. */
    known: () => known,
    /** The key that Liqo signs with; it never leaves this process. */
    async keys(): Promise<Readonly<{ privateKey: KeyObject; publicKey: string }>> {
      const secret = await client.get<Secret>(SECRET, KEYS_NAME, namespace)
      const [privateKey, publicKey] = [textIn(secret, 'privateKey'), textIn(secret, 'publicKey')]
      if (privateKey === undefined || publicKey === undefined)
        throw new Error(`Secret ${namespace}/${KEYS_NAME} lacks privateKey or publicKey.`)
      return { privateKey: createPrivateKey(privateKey), publicKey }
    },
  }

  async function read(): Promise<LiqoFacts> {
    const asked = client.get<ConfigMap>(CONFIG_MAP, ID_NAME, namespace)
    const found = (await ignoring(isNotFound, asked)) ?? (await labelled())
    const liqoId = found?.data?.CLUSTER_ID
    if (!liqoId)
      throw new Error(
        `No ConfigMap labelled ${ID_SELECTOR} with CLUSTER_ID in namespace ${namespace}: ` +
          'install Liqo there, or name its namespace with --liqo-namespace.',
      )
    const version = found?.metadata.labels?.[VERSION_LABEL]
    return { liqoId, ...(version !== undefined && { version }) }
  }

  async function labelled(): Promise<ConfigMap | undefined> {
    const options = { namespace, labelSelector: ID_SELECTOR }
    const { items } = await client.list<ConfigMap>(CONFIG_MAP, options)
    return items[0]
  }
}
