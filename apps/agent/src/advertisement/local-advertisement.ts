import { isDeepStrictEqual } from 'node:util'
import type { LocalAdvertisementSpec, LocalAdvertisementStatus } from '@bourse/contract/kinds'
import { given } from '@bourse/daemon/given'
import { type Clock, createWorkQueue, type KubeClient, systemClock } from '@bourse/kube'
import { ADVERTISEMENT, type StatedCondition } from '../kubernetes/kinds.ts'
import type { Log } from '../runtime/log.ts'
import type { Advertised } from './compose-advertisement.ts'
import type { OwnAdvertisement } from './own-advertisement.ts'
import type { Publishing } from './publisher.ts'

type Shown = Readonly<{ spec?: LocalAdvertisementSpec; status?: LocalAdvertisementStatus }>
type Ports = Readonly<{
  client: KubeClient
  own: Pick<OwnAdvertisement, 'current' | 'subscribe'>
  name: string
  namespace: string
  log: Log
  clock?: Clock
}>

const FIELD_MANAGER = 'bourse-agent'
const KEY = 'advertisement'
/**
 * The broker gets changes twice a second; the local object is for people, and each change costs the
 * API server two writes.
 */
const WRITE_EVERY_MS = 2_000

/** The Advertisement in our own cluster: shows what was published, and is never read as truth. */
export function createLocalAdvertisement(ports: Ports) {
  const { client, own, name, namespace, log, clock = systemClock } = ports
  let wanted: Shown | undefined
  let trouble: string | undefined
  let writeAgainAt = 0

  const queue = createWorkQueue({
    workers: 1,
    clock,
    async work(_, signal) {
      if (!wanted) return undefined
      const writing = wanted
      writeAgainAt = clock.monotonic() + WRITE_EVERY_MS
      const there = own.current()
      const options = { fieldManager: FIELD_MANAGER, force: true, signal } as const
      const metadata = { name, namespace }
      if (!contains(there?.spec, writing.spec))
        await client.apply(ADVERTISEMENT, { metadata, spec: writing.spec }, options)
      if (!contains(there?.status, writing.status))
        await client.apply(
          ADVERTISEMENT,
          { metadata, status: writing.status },
          { ...options, subresource: 'status' },
        )
      trouble = undefined
      return undefined
    },
    onTrouble(error) {
      if (error.message !== trouble)
        log.warn({ err: error, name, namespace }, 'cannot write the Advertisement')
      trouble = error.message
    },
  })

  // Repairs the object if a user deletes or edits it.
  own.subscribe(() => {
    const { spec, status } = own.current() ?? {}
    if (wanted && !(contains(spec, wanted.spec) && contains(status, wanted.status))) writeSoon()
  })

  /** At once, unless it was written a moment ago. */
  function writeSoon(): void {
    queue.addAfter(KEY, Math.max(0, writeAgainAt - clock.monotonic()))
  }

  return {
    /** Writes the state of publishing as soon as the API server can be reached. */
    show(publishing: Publishing, beside: readonly StatedCondition[]): void {
      const next = shownOf(publishing, beside)
      if (isDeepStrictEqual(next, wanted)) return
      wanted = next
      writeSoon()
    },
    trouble: () => trouble,
    stop: queue.stop,
  }
}

function shownOf({ accepted, failure }: Publishing, beside: readonly StatedCondition[]): Shown {
  const at = accepted && new Date(accepted.at).toISOString()
  return {
    spec: accepted ? specOf(accepted.advertised, at) : {},
    status: {
      ...standingOf(accepted, failure?.message),
      ...(at !== undefined && { lastUpdateTime: at }),
      conditions: [readyOf(accepted, failure?.message), ...beside],
    },
  }
}

const PUBLISHED = 'The broker has the current measurement'
const NOT_YET = 'Nothing is published yet.'

type Accepted = Publishing['accepted']

function standingOf(accepted: Accepted, failure: string | undefined): LocalAdvertisementStatus {
  if (failure !== undefined) return { phase: 'Failed', published: false, message: failure }
  if (!accepted) return { phase: 'Pending', published: false, message: NOT_YET }
  const unpriced = accepted.unpriced === undefined ? '' : `; ${accepted.unpriced}`
  return { phase: 'Published', published: true, message: `${PUBLISHED}${unpriced}.` }
}

function readyOf(accepted: Accepted, failure: string | undefined): StatedCondition {
  const { phase: reason = '', published, message = '' } = standingOf(accepted, failure)
  return { type: 'Ready', status: published ? 'True' : 'False', reason, message }
}

function specOf(advertised: Advertised, timestamp: string | undefined): LocalAdvertisementSpec {
  const { clusterID, clusterName, resources, cost, endpointURL } = advertised
  const { labels, location, visibility, largestFit, gpuModels } = advertised
  const more = given({ cost, endpointURL, labels, location, visibility, largestFit, gpuModels })
  // Composed by us: every field has the narrower type of the kind.
  return { clusterID, clusterName, resources, ...more, timestamp } as LocalAdvertisementSpec
}

/** Whether `there` has all fields of `wanted`; others may have added their own. */
function contains(there: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(there) && wanted.every((one) => there.some((two) => contains(two, one)))
  if (typeof wanted !== 'object' || wanted === null) return there === wanted
  if (typeof there !== 'object' || there === null) return false
  // Both are plain JSON objects here.
  const found = there as Record<string, unknown>
  return Object.entries(wanted).every(([field, value]) => contains(found[field], value))
}
