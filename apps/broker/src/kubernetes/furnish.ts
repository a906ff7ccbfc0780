import { hostname } from 'node:os'
import {
  clusterAdvertisementKind,
  type ReservationStatus,
  reservationKind,
} from '@bourse/contract/kinds'
import type { ReserveCommand } from '@bourse/domain/ledger'
import { type Ranking, summarySentence } from '@bourse/domain/placement'
import { apiVersionOf, createEventRecorder, type Kind, systemPatience } from '@bourse/kube'
import { numbersFor } from '../doors/numbers-for.ts'
import {
  type AdvertisementItem,
  type AdvertisementKubeObject,
  decodeAdvertisement,
} from './advertisement-object.ts'
import { createAdvertisementReconciler } from './advertisement-reconciler.ts'
import { createAdvertisementWrites } from './advertisement-writes.ts'
import type { BornReservations } from './born-reservations.ts'
import { createClusterWindow } from './cluster-window.ts'
import { createDoors } from './create-doors.ts'
import { createWindows } from './create-windows.ts'
import { DOOR } from './kinds.ts'
import type { ObjectFacts } from './object-facts.ts'
import { createObjectShelf } from './object-shelf.ts'
import type { KubernetesPorts, KubernetesSettings } from './open-kubernetes-interface.ts'
import { createPace } from './pace.ts'
import {
  decodeReservation,
  type ReservationItem,
  type ReservationKubeObject,
} from './reservation-object.ts'
import { createReservationReconciler } from './reservation-reconciler.ts'
import { chapterOf } from './reservation-story.ts'
import { createReservationWindow } from './reservation-window.ts'
import { createReservationWrites } from './reservation-writes.ts'

/** While commits come in the windows hold back, so that the journal has the API server. */
const WRITES_PER_SECOND = { busy: 200, quiet: 1_000 }
const WRITES_BURST = 200
const BUSY_FOR_MS = 500
const CONTROLLER = 'bourse.dev/broker'

/** Everything in this room, and who knows whom. Nothing moves before the shelves are filled. */
export function furnish(
  ports: KubernetesPorts,
  settings: KubernetesSettings,
  born: BornReservations,
) {
  const { client, writer, ledgerId, now, log, endpointOf } = ports
  const { read, submit, index } = writer
  const { httpNamespace: namespace, adopt } = settings
  const onTrouble = (error: Error, what?: unknown) =>
    log.warn({ err: error, what }, 'the API server: trying again')
  const recorder = createEventRecorder({ client, controller: CONTROLLER, instance: hostname() })

  const clusters = createObjectShelf<AdvertisementItem, AdvertisementKubeObject>({
    ...{ client, kind: clusterAdvertisementKind, decode: decodeAdvertisement, onTrouble },
    touched: clusterTouched,
  })
  const reservations = createObjectShelf<ReservationItem, ReservationKubeObject>({
    ...{ client, kind: reservationKind, decode: decodeReservation, onTrouble },
    touched: reservationTouched,
  })

  const pace = createPace({
    ...systemPatience,
    perSecond: createThrottle(),
    burst: WRITES_BURST,
  })
  const shown = { client, read, pace, namespace, ledgerId, now }
  const windows = createWindows({
    clusterWindow: createClusterWindow({ ...shown, objects: clusters }),
    reservationWindow: createReservationWindow({
      ...{ ...shown, objects: reservations, endpointOf },
      tell: (mirror, before, status) => tell(mirror, before, status),
    }),
    onTrouble,
  })

  const doors = createDoors({
    ...{ clusters, reservations, born, read, submit, onTrouble },
    advertisementReconciler: createAdvertisementReconciler({
      ...{ submit, ledgerId, adopt, now },
      cluster: (clusterId) => read((view) => view.cluster(clusterId)),
      nameOf: (uid) => clusters.keyOfUid(uid),
      objects: createAdvertisementWrites({
        ...{ client, ledgerId, now, index },
        wrote: clusters.wrote,
        warn: (object, reason, note) => warn(clusterAdvertisementKind, object, { reason, note }),
      }),
      show: windows.showCluster,
    }),
    reservationReconciler: createReservationReconciler({
      ...{ submit, refusalSentence, endpointOf, ledgerId, adopt, now, index },
      limits: settings,
      born: born.get,
      settled: born.settled,
      remembered,
      supplyIsComing: () => doors.supplyIsComing(),
      objects: createReservationWrites({
        client,
        wrote: reservations.wrote,
        tell: (object, status) => tell(object, object.shown, status),
      }),
      warn: (object, reason, note) => warn(reservationKind, object, { reason, note }),
    }),
  })
  return { clusters, reservations, doors, windows, recorder }

  function clusterTouched(object: AdvertisementItem, key: string): void {
    if (object.isMirror) windows.showCluster(object.spec.clusterID)
    else doors.look.atCluster(key)
  }

  function reservationTouched(object: ReservationItem, key: string): void {
    if (object.isMirror) windows.showMirror(object.name)
    else doors.look.atReservation(key)
  }

  async function remembered(requester: string, uid: string) {
    const found = await ports.history.request(DOOR, requester, uid)
    return found?.kind === 'granted' ? found.reservation : undefined
  }

  function refusalSentence(ranking: Ranking, { requester, aliases = [] }: ReserveCommand) {
    const reader = { id: requester, isOperator: false }
    return read((view) =>
      summarySentence(ranking, { numbersOf: numbersFor(reader, view), aliases }),
    )
  }

  function tell(object: ObjectFacts, before: ReservationStatus, after: ReservationStatus): void {
    const chapter = chapterOf(before, after)
    if (chapter) recorder.record({ regarding: referenceTo(reservationKind, object), ...chapter })
  }

  type Warning = Readonly<{ reason: string; note: string }>

  function warn(kind: Kind, object: ObjectFacts, warning: Warning): void {
    const regarding = referenceTo(kind, object)
    recorder.record({ regarding, type: 'Warning', action: 'Reconcile', ...warning })
  }

  function createThrottle() {
    let committedAt = Number.NEGATIVE_INFINITY
    writer.subscribe(() => {
      committedAt = systemPatience.monotonic()
    })
    return () =>
      systemPatience.monotonic() - committedAt < BUSY_FOR_MS
        ? WRITES_PER_SECOND.busy
        : WRITES_PER_SECOND.quiet
  }
}

function referenceTo(kind: Kind, { name, namespace, uid, resourceVersion }: ObjectFacts) {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, namespace, uid, resourceVersion }
}
