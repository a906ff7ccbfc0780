import { type Advertisement, type Cluster, type Command, sameFacts } from '@bourse/domain/ledger'
import { createFieldCheck, fieldSentence } from '../../intake/field-check.ts'
import { readAdvertisement } from '../../intake/read-advertisement.ts'
import type { Answer } from '../../ledger/writer/ledger-writer.ts'
import { isoOf } from '../../presentation/moments.ts'
import { type AdvertisementItem, stampOf, uidOf } from '../objects/advertisement-object.ts'
import { DOOR } from '../objects/kinds.ts'
import type { AdvertisementWrites } from './advertisement-writes.ts'
import type { Again, Delay, ObjectPrice } from './object-price.ts'

type Ports = Readonly<{
  submit(command: Command): Promise<Answer>
  cluster(clusterId: string): Promise<Cluster | undefined>
  /** Whether an object with this UID is there, and how it is called. */
  nameOf(uid: string): string | undefined
  objects: AdvertisementWrites
  price: ObjectPrice
  /** The mirror that shows how a cluster stands. */
  show(clusterId: string): void
  /** Why this cluster may not speak; undefined while it may. */
  denied(clusterId: string): string | undefined
  ledgerId: string
  /** Whether clusters of another broker are taken over. */
  adopt: boolean
  now(): number
}>

const NOTHING: Pick<Advertisement, 'capacity' | 'allocatable' | 'allocated' | 'used'> = {
  capacity: {},
  allocatable: {},
  allocated: {},
  used: {},
}

/** Turns a ClusterAdvertisement that a user made or patched into supply. */
export function createAdvertisementReconciler(ports: Ports) {
  const { submit, objects } = ports

  return { reconcile, gone, retire }

  async function reconcile(found: AdvertisementItem): Promise<Again> {
    if (found.isDeleting) return undefined
    const denial = ports.denied(found.spec.clusterID)
    if (denial !== undefined) return reject(found, 'ClusterDenied', denial)
    const object = found.spec.timestamp ? found : await objects.date(found, isoOf(ports.now()))
    const check = createFieldCheck()
    const read = readAdvertisement(object.spec, check)
    if (check.problems.length > 0)
      return reject(object, 'InvalidAdvertisement', fieldSentence(check.problems))

    const { clusterID: clusterId, seenIndex } = object.spec
    const known = await ports.cluster(clusterId)
    const rival = rivalOf(object, known)
    if (rival) return claimedElsewhere(object, rival)
    const advertisement = { ...read, stamp: stampOf(object), ...unclaimed(object, known) }
    // To read again what is known costs nothing: a broker that starts reads everything.
    const isKnown = sameFacts(known?.advertisement, advertisement)
    const delay = isKnown ? undefined : ports.price(clusterId, object.spec)
    if (delay) return postpone(object, delay)
    const { outcome } = await submit({
      kind: 'advertise',
      door: DOOR,
      clusterId,
      advertisement,
      ...(seenIndex !== undefined && { seenIndex }),
    })
    if (outcome.kind === 'claimedElsewhere') return claimedElsewhere(object, outcome.cluster.door)
    ports.show(clusterId)
    return undefined
  }

  async function reject(object: AdvertisementItem, reason: string, message: string) {
    await objects.reject(object, reason, message)
    return undefined
  }

  async function postpone(object: AdvertisementItem, delay: Delay): Promise<Again> {
    await objects.postpone(object, delay.message)
    return { againAfterMs: delay.afterMs }
  }

  async function gone({ uid, spec }: AdvertisementItem): Promise<void> {
    const cluster = await ports.cluster(spec.clusterID)
    if (cluster && uidOf(cluster.advertisement.stamp) === uid) await retire(cluster)
  }

  /** Its object is gone: it offers nothing, keeps what it holds, and any interface may claim it. */
  async function retire({ clusterId, advertisement, door }: Cluster): Promise<void> {
    if (door !== DOOR) return
    const { clusterName, stamp = '' } = advertisement
    await submit({
      kind: 'advertise',
      door: DOOR,
      clusterId,
      advertisement: { clusterName, ...NOTHING, stamp: `${uidOf(stamp)} gone`, isUnclaimed: true },
    })
  }

  /** Another object that speaks for the same cluster, and was first. */
  function rivalOf({ uid }: AdvertisementItem, known: Cluster | undefined): string | undefined {
    const owner = known?.door === DOOR ? uidOf(known.advertisement.stamp) : undefined
    if (owner === undefined || owner === uid) return undefined
    return ports.nameOf(owner)
  }

  /** Left by another broker: the cluster's agent has not said yet which interface it uses. */
  function unclaimed(object: AdvertisementItem, known: Cluster | undefined) {
    const isTakenOver =
      known === undefined
        ? ports.adopt && isOfAnotherBroker(object, ports.ledgerId)
        : known.advertisement.isUnclaimed === true && known.advertisement.stamp === stampOf(object)
    return isTakenOver ? { isUnclaimed: true } : {}
  }

  function claimedElsewhere(object: AdvertisementItem, by: string) {
    const { clusterID } = object.spec
    const message = `${clusterID} is advertised by ${by} already: delete this object, or that one.`
    return reject(object, 'ClaimedElsewhere', message)
  }
}

function isOfAnotherBroker({ shown }: AdvertisementItem, ledgerId: string): boolean {
  const wasShown = shown.phase !== undefined || shown.active !== undefined
  return wasShown && shown.ledgerID !== ledgerId
}
