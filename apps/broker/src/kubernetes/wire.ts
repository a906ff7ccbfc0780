import { clusterAdvertisementKind, reservationKind } from '@bourse/contract/kinds'
import { hiddenFrom, type ReserveCommand } from '@bourse/domain/ledger'
import { coarseRefusals, type Ranking, summarySentence } from '@bourse/domain/placement'
import { isConflict } from '@bourse/kube'
import { whyDenied } from '../intake/admission.ts'
import { createAdvertisementReconciler } from './inbound/advertisement-reconciler.ts'
import { createAdvertisementWrites } from './inbound/advertisement-writes.ts'
import type { ObjectTrials } from './inbound/granted-changes.ts'
import { createInbound } from './inbound/inbound-queue.ts'
import { createObjectPrice } from './inbound/object-price.ts'
import type { ObjectReservations } from './inbound/object-reservations.ts'
import { createReservationReconciler } from './inbound/reservation-reconciler.ts'
import { createReservationWrites } from './inbound/reservation-writes.ts'
import { createSeenProofs } from './inbound/seen-proofs.ts'
import { decodeAdvertisement } from './objects/advertisement-object.ts'
import { DOOR } from './objects/kinds.ts'
import { NotLeading, writingAsLeader } from './objects/leader-only.ts'
import { createObjectCache } from './objects/object-cache.ts'
import { decodeReservation } from './objects/reservation-object.ts'
import type { KubernetesPorts, KubernetesSettings } from './open-kubernetes-interface.ts'
import { createClusterMirror } from './outbound/cluster-mirror.ts'
import { createMirrorPace } from './outbound/mirror-pace.ts'
import { isStray, type MirrorPorts } from './outbound/mirror-writes.ts'
import { createObjectEvents } from './outbound/object-events.ts'
import { createMirrors } from './outbound/outbound-queue.ts'
import { createReservationMirror } from './outbound/reservation-mirror.ts'

const ofClusters = { kind: clusterAdvertisementKind, decode: decodeAdvertisement }
const ofReservations = { kind: reservationKind, decode: decodeReservation }

/** Creates and connects the parts of the interface. They idle until the caches are filled. */
export function wire(
  ports: Omit<KubernetesPorts, 'trials'> &
    Readonly<{ endpointOf(clusterId: string): string | undefined; trials: ObjectTrials }>,
  settings: KubernetesSettings,
  objectReservations: ObjectReservations,
) {
  const { writer, ledgerId, now, whyNotLeading, log, endpointOf } = ports
  const { proof, judge } = ports.rollback
  const client = writingAsLeader(ports.client, whyNotLeading)
  const { read, submit, index } = writer
  const { httpNamespace: namespace, adopt } = settings
  const onTrouble = troubleTo(log)
  const pace = createMirrorPace(writer)
  const objectEvents = createObjectEvents(client, pace.eventsPerSecond)
  const denied = (clusterId: string) => whyDenied(clusterId, ports.admission())
  const saw = createSeenProofs({ judge, tell: objectEvents.warnOf, log, monotonic })
  const clusters = createObjectCache({ client, saw, onTrouble, ...ofClusters })
  const reservations = createObjectCache({ client, saw, onTrouble, ...ofReservations })
  const { tell } = objectEvents
  const mirrorPorts: MirrorPorts = { client, read, pace, namespace, ledgerId, proof, now }
  const shown = { objects: reservations, tell, endpointOf }
  const mirrors = createMirrors({
    clusterMirror: createClusterMirror({ ...mirrorPorts, objects: clusters }),
    reservationMirror: createReservationMirror({ ...mirrorPorts, ...shown }),
    whyNotLeading,
    onTrouble,
  })
  const { wrote } = clusters
  const warn = objectEvents.warnOfCluster
  const price = createObjectPrice(ports.share)
  const commandPorts = { submit, denied, price, ledgerId, adopt, now }
  const inbound = createInbound({
    clusters,
    reservations,
    objectReservations,
    read,
    submit,
    whyNotLeading,
    onTrouble,
    advertisementReconciler: createAdvertisementReconciler({
      ...commandPorts,
      cluster: (clusterId) => read((view) => view.cluster(clusterId)),
      nameOf: (uid) => clusters.keyOfUid(uid),
      objects: createAdvertisementWrites({ client, ledgerId, proof, now, index, wrote, warn }),
      show: mirrors.showCluster,
    }),
    reservationReconciler: createReservationReconciler({
      ...commandPorts,
      refusalSentence: refusalSentenceFrom(read),
      endpointOf,
      index,
      trials: ports.trials,
      limits: settings,
      madeFor: objectReservations.get,
      settled: objectReservations.settled,
      remembered: rememberedIn(ports.history),
      supplyIsComing: () => inbound.supplyIsComing(),
      objects: createReservationWrites({
        client,
        proof,
        wrote: reservations.wrote,
        tell: (object, status) => tell(object, object.shown, status),
      }),
      warn: objectEvents.warnOfReservation,
    }),
  })
  clusters.watchedBy((object, key) => {
    if (isStray(object, mirrorPorts)) mirrors.removeStrayCluster(key)
    else if (object.isMirror) mirrors.showCluster(object.spec.clusterID)
    else inbound.look.atCluster(key)
  })
  reservations.watchedBy((object, key) => {
    if (isStray(object, mirrorPorts)) mirrors.removeStrayReservation(key)
    else if (object.isMirror) mirrors.showMirror(object.name)
    else inbound.look.atReservation(key)
  })
  return { clusters, reservations, inbound, mirrors, objectEvents }
}

function rememberedIn(history: KubernetesPorts['history']) {
  return async (requester: string, uid: string) => {
    const found = await history.request(DOOR, requester, uid)
    return found?.kind === 'granted' ? found.reservation : undefined
  }
}

function refusalSentenceFrom(read: MirrorPorts['read']) {
  return (ranking: Ranking, { requester, aliases = [] }: ReserveCommand) =>
    read((view) =>
      summarySentence(coarseRefusals(ranking, hiddenFrom(requester, view)), { aliases }),
    )
}

const monotonic = () => performance.now()

/** A conflict is usual: another writer was first, or leads. That is what versions are for. */
function troubleTo(log: KubernetesPorts['log']) {
  return (error: Error, what?: unknown): void => {
    const isUsual = isConflict(error) || error instanceof NotLeading
    const level = isUsual ? 'debug' : 'warn'
    log[level]({ err: error, what }, 'an object could not be read or written: retrying')
  }
}
