import type { Advertisement, Reservation } from '@bourse/contract'
import {
  amountOf,
  equal,
  fits,
  parseResources,
  type Resources,
  subtract,
  sum,
} from '@bourse/domain/quantity'
import { type Chance, type Client, eventually } from '@bourse/testkit'
import type { Acknowledged, Grant } from './acknowledged.ts'

type Ports = Readonly<{
  operator: Client
  clients: ReadonlyMap<string, Client>
  acknowledged: Acknowledged
  chance: Chance
}>

/** Request ids asked again after each crash; at the end, all of them. */
const REPEATED = 20
/** Far more than a busy machine is late; what never expires is overdue at the next look. */
const OVERDUE_MS = 15_000

/** Holds the broker's books against the acknowledged answers; what differs, in words. */
export async function account(ports: Ports, { all = false } = {}): Promise<string[]> {
  const { operator, acknowledged, chance } = ports
  // Clusters first: nothing is reserved now, so what expires between the two can only be less.
  const clusters = (await operator.listClusters({ limit: 1_000 })).items
  // Before the list, which takes a while: what ends meanwhile may be told as it was.
  const askedAt = Date.now()
  const told = await everyReservation(operator)
  await addRecent(told, operator, acknowledged)
  const grants = [...acknowledged.grants.values()]
  const repeated = all ? grants : someOf(grants, chance)
  return [
    ...(await glance(ports)),
    ...grants.flatMap((grant) => differences(grant, told.get(grant.id), askedAt)),
    ...strangers(told, acknowledged),
    ...clusters.flatMap((cluster) => overbooked(cluster, told)),
    ...(await repeatedAnswers(ports, repeated)),
  ]
}

/** What can be told without going through the books. */
export async function glance({ operator, acknowledged }: Ports): Promise<string[]> {
  const { index = 0 } = await operator.ping()
  return [
    ...acknowledged.contradictions,
    ...(index < acknowledged.index() ? [`index ${index} is behind ${acknowledged.index()}`] : []),
    ...(await auditFindings(operator)),
  ]
}

async function everyReservation(operator: Client): Promise<Map<string, Reservation>> {
  const told = new Map<string, Reservation>()
  const query = { phases: ['Reserved', 'Active', 'Released'], limit: 1_000 }
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await operator.listReservations({ ...query, ...(cursor && { cursor }) })
    for (const reservation of page.items) told.set(reservation.id, reservation)
    cursor = page.nextCursor
  }
  return told
}

/** What has only just ended is known by its id at once, and in the list a moment later. */
async function addRecent(
  told: Map<string, Reservation>,
  operator: Client,
  { grants }: Acknowledged,
): Promise<void> {
  const unlisted = [...grants.keys()].filter((id) => !told.has(id))
  const found = await Promise.allSettled(unlisted.map((id) => operator.getReservation(id)))
  for (const one of found) if (one.status === 'fulfilled') told.set(one.value.id, one.value)
}

/** None lost: what was acknowledged is there, as it was acknowledged. */
function differences(grant: Grant, told: Reservation | undefined, askedAt: number): string[] {
  if (!told) return [`${grant.id} was acknowledged (${describe(grant)}) and is lost`]
  const { status, targetClusterID, requesterID, requestId } = told
  const findings: string[] = []
  if (targetClusterID !== grant.targetClusterId || requesterID !== grant.requester)
    findings.push(`${grant.id} changed sides: ${requesterID} on ${targetClusterID}`)
  if (requestId !== grant.request.requestId)
    findings.push(`${grant.id} has the request id ${requestId}`)
  if (!equal(resourcesOf(told.requestedResources), resourcesOf(grant.request.requestedResources)))
    findings.push(`${grant.id} changed its size`)
  if (status.phase !== grant.phase && !hasExpired(grant, told))
    findings.push(`${grant.id} was ${grant.phase} and is ${status.phase} (${status.reason})`)
  if (status.phase !== 'Released' && isOverdue(grant, askedAt))
    findings.push(`${grant.id} should have expired at ${status.expiresAt}`)
  return findings
}

function hasExpired({ expiresAt }: Grant, { status }: Reservation): boolean {
  if (expiresAt === undefined || status.reason !== 'Expired') return false
  return Date.parse(status.endedAt ?? '') >= expiresAt
}

function isOverdue({ expiresAt }: Grant, askedAt: number): boolean {
  return expiresAt !== undefined && expiresAt < askedAt - OVERDUE_MS
}

/** None doubled: every caller has its answer, so a reservation that none was told of is one too many. */
function strangers(told: Map<string, Reservation>, { grants }: Acknowledged): string[] {
  return [...told.values()]
    .filter(({ id }) => !grants.has(id))
    .map(({ id, requestId }) => `${id} (${requestId}) was never acknowledged`)
}

/** Nothing overbooked: what is held fits into what the cluster has, by our own sum. */
function overbooked(cluster: Advertisement, told: Map<string, Reservation>): string[] {
  const { clusterID, resources } = cluster
  const live = [...told.values()].filter(
    ({ targetClusterID, status }) => targetClusterID === clusterID && status.phase !== 'Released',
  )
  const held = sum(live.map(({ requestedResources }) => resourcesOf(requestedResources)))
  const supply = subtract(resourcesOf(resources.allocatable), resourcesOf(resources.allocated))
  const reserved = resourcesOf(resources.reserved)
  const findings: string[] = []
  if (!fits(held, supply)) findings.push(`${clusterID} is overbooked: ${printed(held)}`)
  // It may be more than is live: what was in use holds on until the provider has let go.
  if (!fits(held, reserved))
    findings.push(`${clusterID} counts ${printed(reserved)} reserved and holds ${printed(held)}`)
  if (!fits(reserved, supply)) findings.push(`${clusterID} has promised ${printed(reserved)}`)
  return findings
}

/** The same request id, the same reservation; one that was released by its id stays refused. */
async function repeatedAnswers({ clients, acknowledged }: Ports, grants: readonly Grant[]) {
  const again = grants.map(async ({ requester, request, id, isForgone }) => {
    const outcome = await clientOf(clients, requester).requestReservation(request)
    const isSame = outcome.kind === 'reserved' && outcome.reservation.id === id && !outcome.isNew
    const isRight = isForgone ? outcome.kind === 'tombstoned' : isSame
    return isRight ? [] : [`${request.requestId} got ${id}, and then ${JSON.stringify(outcome)}`]
  })
  const buried = acknowledged.tombstones.slice(-REPEATED).map(async ({ requester, requestId }) => {
    const outcome = await clientOf(clients, requester).requestReservation({
      requestedResources: { cpu: '1' },
      requestId,
    })
    return outcome.kind === 'tombstoned' ? [] : [`${requestId} was buried and is ${outcome.kind}`]
  })
  return (await Promise.all([...again, ...buried])).flat()
}

/** The auditor counts after every start, and then now and then. */
async function auditFindings(operator: Client): Promise<string[]> {
  const { state, findings } = await eventually('The auditor has counted', async () => {
    const report = await operator.audit()
    return report.state === 'starting' ? undefined : report
  })
  return state === 'consistent' ? [] : [`The auditor says: ${findings.join('; ')}`]
}

function someOf(grants: readonly Grant[], chance: Chance): Grant[] {
  return Array.from({ length: REPEATED }, () => chance.pick(grants)).filter(
    (one) => one !== undefined,
  )
}

function clientOf(clients: ReadonlyMap<string, Client>, requester: string): Client {
  const client = clients.get(requester)
  if (!client) throw new Error(`${requester} has no client`)
  return client
}

function resourcesOf(written: Readonly<Record<string, string | number | null>> | null): Resources {
  // Answers carry strings, and our own requests do too; only the input's type allows more.
  const parsed = parseResources((written ?? {}) as Record<string, string>, 'allocated')
  if (parsed.kind === 'bad') throw new Error(`The broker said ${JSON.stringify(written)}`)
  return parsed.resources
}

function printed(resources: Resources): string {
  return Object.keys(resources)
    .map((name) => `${name} ${amountOf(resources, name)}`)
    .join(', ')
}

function describe({ phase, request, requester }: Grant): string {
  return `${phase} for ${requester}, duration ${request.duration ?? 'none'}`
}
