import type { ReservationRequest } from '@bourse/contract'
import type { Chance } from '@bourse/testkit'
import type { Acknowledged, Grant } from './acknowledged.ts'
import type { Act, Caller } from './load.ts'

/** Live reservations a requester keeps; beyond them it gives back before it asks for more. */
const LIVE_MAX = 8
const TOMBSTONE_SHARE = 0.04

/** A requester that reserves, uses, renews and gives back, and writes down every answer. */
export function createRequester(
  { clusterId, client }: Caller,
  acknowledged: Acknowledged,
  chance: Chance,
): Act {
  let held: Grant[] = []
  let asked = 0

  return async () => {
    // What was asked for a short time ends by itself, at a moment only the broker knows.
    held = held.filter(({ request, phase }) => !isShort(request) && phase !== 'Released')
    const grant = chance.pick(held)
    if (chance.next() < TOMBSTONE_SHARE) return bury()
    if (!grant || (held.length < LIVE_MAX && chance.next() < 0.5)) return reserve()
    return use(grant)
  }

  async function reserve(): Promise<void> {
    const request = { ...someRequest(chance), requestId: `${clusterId}-${++asked}` }
    const outcome = await client.requestReservation(request)
    if (outcome.kind !== 'reserved') return
    acknowledged.heard(outcome)
    if (!outcome.isNew) acknowledged.foundAgain()
    held.push(acknowledged.granted(clusterId, request, outcome.reservation))
  }

  async function use(grant: Grant): Promise<void> {
    const { id, request, phase } = grant
    const choice = chance.next()
    if (choice < 0.25 && phase === 'Reserved')
      return acknowledged.changed(grant, 'Active', await client.activate(id))
    if (choice < 0.4 && request.duration)
      return acknowledged.changed(grant, phase, await client.renew(id, '2h'))
    return release(grant, choice < 0.7 ? { id } : { requestId: request.requestId })
  }

  async function release(
    grant: Grant,
    which: Readonly<{ id: string }> | Readonly<{ requestId: string }>,
  ): Promise<void> {
    const released = await client.release(which)
    grant.isForgone = 'requestId' in which
    if (released.kind === 'released') acknowledged.changed(grant, 'Released', released.reservation)
    else acknowledged.contradictions.push(`${grant.id} was unknown when it was released`)
  }

  /** Releases what was never asked for: the id must stay refused. */
  async function bury(): Promise<void> {
    const requestId = `${clusterId}-${++asked}`
    await client.release({ requestId })
    acknowledged.tombstones.push({ requester: clusterId, requestId })
  }
}

function someRequest(chance: Chance): ReservationRequest {
  const cpu = chance.pick(['500m', '1', '2', '4']) ?? '1'
  const duration = chance.pick([undefined, undefined, '1h', '1h', `${chance.between(1, 3)}s`])
  const gpu = chance.next() < 0.2 ? { gpu: '1' } : {}
  return {
    requestedResources: { cpu, memory: '1Gi', ...gpu },
    ...(duration !== undefined && { duration }),
  }
}

function isShort({ duration }: ReservationRequest): boolean {
  return /^\ds$/.test(duration ?? '')
}
