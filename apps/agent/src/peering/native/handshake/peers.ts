import { createHash, createPublicKey } from 'node:crypto'
import {
  type Clock,
  createReflector,
  ignoring,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type ObjectMeta,
} from '@bourse/kube'
import { CONFIG_MAP, type ConfigMap } from '../../../kubernetes/kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { Place } from './pair-state.ts'

/** Another cluster's Liqo identity at first contact. */
export type Pin = Readonly<{ liqoID: string; fingerprint?: string }>
type Claim = Readonly<{ liqoID: string; publicKey?: string }>
export type Distrust = Readonly<{ reason: 'LiqoKeyChanged' | 'LiqoIdClaimed'; message: string }>
/** The object that people may look at, and accept a change in. */
export type PinnedAt = Readonly<{ metadata: ObjectMeta }>
export type Peers = ReturnType<typeof createPeers>

type Ports = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch' | 'get' | 'create' | 'mergePatch'>
  namespace: string
  onChange(peer: string): void
  /** A moment before all pins are known. */
  onKnown?(): void
  /** Once for each claim that is not believed. */
  alarm(peer: string, distrust: Distrust, pins: PinnedAt): void
  onTrouble(error: Error, watched: string, pauseMs: number): void
  clock: Clock
}>

const NAME = 'bourse-peers'

/** The Liqo keys of other clusters, pinned at first contact (trust on first use). */
export function createPeers(ports: Ports) {
  const { client, namespace, onChange, onTrouble, clock } = ports
  /** The answers to our own writes, until the watch tells of them. */
  const written = new Map<string, Pin>()
  const alarmed = new Map<string, string>()

  const tell = ({ data = {} }: ConfigMap, before: ConfigMap | undefined) => {
    const peers = new Set([...Object.keys(data), ...Object.keys(before?.data ?? {})])
    for (const peer of peers) {
      if (data[peer] === before?.data?.[peer]) continue
      written.delete(peer)
      onChange(peer)
    }
  }
  const reflector = createReflector<ConfigMap, ConfigMap>({
    client,
    kind: CONFIG_MAP,
    namespace,
    fieldSelector: `metadata.name=${NAME}`,
    clock,
    on: {
      added: (object) => tell(object, undefined),
      changed: tell,
      removed: (last) => tell({ ...last, data: {} }, last),
      synced: () => ports.onKnown?.(),
    },
    onTrouble: (error, pauseMs) => onTrouble(error, CONFIG_MAP.plural, pauseMs),
  })

  return {
    isKnown: reflector.isSynced,
    of,
    /** Which cluster has this Liqo id. */
    called: (liqoID: string): string | undefined =>
      [...entries()].find(([, pin]) => pin.liqoID === liqoID)?.[0],
    /** Nothing, or why this cannot be the cluster that it says to be. */
    doubt(peer: string, claim: Claim): Distrust | undefined {
      const distrust = distrustOf(peer, claim)
      const told = distrust && `${distrust.reason} ${claim.liqoID} ${claim.publicKey}`
      if (distrust && alarmed.get(peer) !== told) ports.alarm(peer, distrust, pinned())
      if (told !== undefined) alarmed.set(peer, told)
      // A claim without a key proves nothing yet.
      else if (claim.publicKey !== undefined) alarmed.delete(peer)
      return distrust
    },
    /** Remembers who it is; to be called of one that is not in doubt. */
    async pin(peer: string, claim: Claim): Promise<void> {
      const known = of(peer)
      const fingerprint =
        claim.publicKey === undefined ? known?.fingerprint : fingerprintOf(claim.publicKey)
      if (known?.liqoID === claim.liqoID && known.fingerprint === fingerprint) return
      const pin = { liqoID: claim.liqoID, ...(fingerprint !== undefined && { fingerprint }) }
      await write(peer, pin)
      written.set(peer, pin)
    },
    stop: reflector.stop,
  }

  function distrustOf(peer: string, claim: Claim): Distrust | undefined {
    const pin = of(peer)
    const owner = [...entries()].find(
      ([one, { liqoID }]) => one !== peer && liqoID === claim.liqoID,
    )
    if (owner) return claimed(peer, claim, owner[0])
    if (!pin) return undefined
    const isOther =
      claim.publicKey !== undefined &&
      pin.fingerprint !== undefined &&
      fingerprintOf(claim.publicKey) !== pin.fingerprint
    return isOther || pin.liqoID !== claim.liqoID ? changed(peer, namespace) : undefined
  }

  function pinned(): PinnedAt {
    return reflector.get(`${namespace}/${NAME}`) ?? { metadata: { name: NAME, namespace } }
  }

  function of(peer: string): Pin | undefined {
    return written.get(peer) ?? pinIn(reflector.get(`${namespace}/${NAME}`)?.data?.[peer])
  }

  function* entries(): Generator<[string, Pin]> {
    for (const [peer, text] of Object.entries(reflector.get(`${namespace}/${NAME}`)?.data ?? {})) {
      const pin = pinIn(text)
      if (pin) yield [peer, pin]
    }
    yield* written
  }

  async function write(peer: string, pin: Pin): Promise<void> {
    const data = { [peer]: [pin.liqoID, ...(pin.fingerprint ? [pin.fingerprint] : [])].join(' ') }
    const ref = { name: NAME, namespace }
    const patch = () => client.mergePatch(CONFIG_MAP, ref, { data }).then(() => true)
    if (await ignoring(isNotFound, patch())) return
    const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data }
    if (!(await ignoring(isAlreadyExists, client.create(CONFIG_MAP, object)))) await patch()
  }
}

type PlacePorts = Readonly<{
  peers: Pick<Peers, 'of'>
  objects: Pick<LiqoObjects, 'liqoTenantNamespace'>
}>

/** Where everything about a cluster is here; undefined: nothing is. */
export function placeOf({ peers, objects }: PlacePorts, peer: string): Place | undefined {
  const liqoId = peers.of(peer)?.liqoID
  const namespace = liqoId && objects.liqoTenantNamespace(liqoId)?.metadata.name
  return liqoId && namespace ? { liqoId, namespace } : undefined
}

function claimed(peer: string, { liqoID }: Claim, owner: string): Distrust {
  const message = `${peer} claims the Liqo id ${liqoID}, which belongs to ${owner}.`
  return { reason: 'LiqoIdClaimed', message }
}

function changed(peer: string, namespace: string): Distrust {
  const message =
    `The Liqo of ${peer} has another key or id than at first contact. If it was ` +
    `reinstalled, accept it: kubectl -n ${namespace} patch configmap ${NAME} --type=json ` +
    `-p '[{"op":"remove","path":"/data/${peer}"}]'`
  return { reason: 'LiqoKeyChanged', message }
}

/** `<Liqo id> <fingerprint>`, so that people can read it, too. */
function pinIn(text: string | undefined): Pin | undefined {
  const [liqoID, fingerprint] = text?.split(' ') ?? []
  return liqoID ? { liqoID, ...(fingerprint !== undefined && { fingerprint }) } : undefined
}

/** Of the key itself, however it is written. */
function fingerprintOf(publicKey: string): string {
  const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' })
  return `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`
}
