import { EventEmitter } from 'node:events'
import { BROKER_GROUP } from '@bourse/contract/names'
import {
  type Clock,
  createReflector,
  type KubeClient,
  type Reflector,
  withoutManagers,
} from '@bourse/kube'
import { RESERVATION, type ReservationObject } from './broker-objects.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'pages' | 'watch' | 'list'>
  /** Where to look; undefined: in every namespace. */
  scope(): Promise<string | undefined>
  fieldSelector: string
  /** Told of every version of every object, the last one too. */
  saw(object: ReservationObject, isGone: boolean): void
  clock: Clock
}>
type Waiting = Readonly<{ withinMs: number; signal: AbortSignal }>

export type ReservationSet = ReturnType<typeof createReservationSet>

/** A live copy of some of a cluster's Reservations. Starts on the first question. */
export function createReservationSet(ports: Ports) {
  const { client, scope, fieldSelector, saw, clock } = ports
  const news = new EventEmitter<{ change: []; trouble: [fault: Error] }>().setMaxListeners(0)
  let isTroubled = false
  let starting: Promise<Reflector<ReservationObject>> | undefined

  return {
    items,
    listed,
    until,
    /** Called when a watch is in trouble, which it mends by itself. */
    onTrouble(listener: (fault: Error) => void): () => void {
      news.on('trouble', listener)
      return () => void news.off('trouble', listener)
    },
    /** The copy may be behind: the watch has failed and is not open again. */
    isTroubled: () => isTroubled,
    stop: async () => (await starting?.catch(() => undefined))?.stop(),
  }

  /** As far as the watch has told; the first time after a full list. */
  async function items(): Promise<readonly ReservationObject[]> {
    return [...(await start()).items()]
  }

  /** As it is at this moment: what was committed before the question is in the answer. */
  async function listed(): Promise<readonly ReservationObject[]> {
    const namespace = await scope()
    const { items } = await client.list<ReservationObject>(RESERVATION, {
      namespace,
      fieldSelector,
    })
    for (const object of items) saw(object, false)
    return items
  }

  /** What is found first; undefined when it takes too long. */
  async function until<T>(
    find: (objects: Iterable<ReservationObject>) => T | undefined,
    { withinMs, signal }: Waiting,
  ): Promise<T | undefined> {
    const reflector = await start()
    const found = Promise.withResolvers<T | undefined>()
    const look = () => {
      const result = find(reflector.items())
      if (result !== undefined) found.resolve(result)
    }
    const ending = new AbortController()
    const waited = clock.sleep(withinMs, AbortSignal.any([signal, ending.signal]))
    waited.then(() => found.resolve(undefined), found.reject)
    news.on('change', look)
    look()
    return found.promise.finally(() => {
      news.off('change', look)
      ending.abort()
    })
  }

  async function start(): Promise<Reflector<ReservationObject>> {
    starting ??= open()
    const reflector = await starting.catch((cause) => {
      starting = undefined
      throw cause
    })
    if (!reflector.isSynced()) await firstList(reflector)
    return reflector
  }

  async function open(): Promise<Reflector<ReservationObject>> {
    const namespace = await scope()
    return createReflector<ReservationObject, ReservationObject>({
      kind: RESERVATION,
      fieldSelector,
      clock,
      client: {
        pages: client.pages,
        watch: (kind, asked) => client.watch(kind, { ...asked, onOpen: mended }),
      },
      ...(namespace !== undefined && { namespace }),
      decode: withoutManagers,
      on: {
        added: (object) => changed(object, false),
        changed: (object) => changed(object, false),
        removed: (object) => changed(object, true),
      },
      onTrouble: (fault) => {
        isTroubled = true
        news.emit('trouble', fault)
      },
    })
  }

  /** Or what keeps it from coming: callers decide whether they wait for it. */
  async function firstList(reflector: Reflector<ReservationObject>): Promise<void> {
    const failed = Promise.withResolvers<never>()
    news.on('trouble', failed.reject)
    await Promise.race([reflector.synced, failed.promise]).finally(() =>
      news.off('trouble', failed.reject),
    )
  }

  /** Wakes all waiting callers, even if nothing has changed. */
  function mended(): void {
    isTroubled = false
    news.emit('change')
  }

  function changed(object: ReservationObject, isGone: boolean): void {
    saw(object, isGone)
    news.emit('change')
  }
}

type Review = Readonly<{ status?: Readonly<{ allowed?: boolean }> }>

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

/**
 * The namespaces to watch for reservations: all, if the role allows it, since teams may reserve for
 * the cluster from their own namespaces; otherwise only the cluster's own.
 */
export function createScope(
  client: Pick<KubeClient, 'raw'>,
  namespace: string,
): () => Promise<string | undefined> {
  let found: Readonly<{ namespace: string | undefined }> | undefined

  return async () => {
    found ??= { namespace: (await mayWatchAll(client)) ? undefined : namespace }
    return found.namespace
  }
}

async function mayWatchAll(client: Pick<KubeClient, 'raw'>): Promise<boolean> {
  const resourceAttributes = { group: BROKER_GROUP, resource: 'reservations', verb: 'watch' }
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  }
  const { status } = await client.raw<Review>('POST', REVIEWS, review)
  return status?.allowed === true
}
