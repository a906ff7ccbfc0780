import { Phase } from '@bourse/contract'
import { isLive, type LedgerView, type Reservation } from '@bourse/domain/ledger'
import type { Timed } from '../../fair-share/heavy-line.ts'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { History } from '../../store/port/history.ts'
import { type PageQuery, readCursor, readLimit, writeCursor } from '../answers/page.ts'
import type { Caller } from '../callers/caller.ts'
import { createFieldCheck, type FieldCheck } from '../errors/field-check.ts'

export type ListQuery = PageQuery & Readonly<{ role?: string; phase?: string }>

type Role = 'requester' | 'provider'
type Place = Readonly<{ segment: 'live' | 'ended'; createdAt: number; id: string }>

/** What is asked for: first the live ones, oldest first, then the ended ones, newest first. */
export type ListQuestion = Readonly<{
  /** Undefined: the reservations of all clusters. */
  party: string | undefined
  role: Role | undefined
  phases: ReadonlySet<Phase>
  limit: number
  after: Place | undefined
}>

type Page = Readonly<{ index: number; items: readonly Reservation[]; nextCursor?: string }>

const LIVE: readonly Phase[] = ['Pending', 'Reserved', 'Active']
const ENDED: readonly Phase[] = ['Released', 'Failed']

export function readListQuery(query: ListQuery, { id, isOperator }: Caller): ListQuestion {
  const check = createFieldCheck()
  const role = readRole(query.role, check)
  const question: ListQuestion = {
    // An operator that names no role gets the reservations of all clusters.
    party: isOperator && !role ? undefined : id,
    role,
    phases: readPhases(query.phase, check),
    limit: readLimit(query.limit, check),
    after: query.cursor ? readPlace(query.cursor, check) : undefined,
  }
  check.done()
  return question
}

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  history: Pick<History, 'listEnded'>
}>

export function createReservationList({ writer, history }: Ports) {
  /** `timed`: to look through what is live takes milliseconds where there is much of it. */
  return async function list(question: ListQuestion, timed: Timed): Promise<Page> {
    const { index, items: live } = await writer.read((view, index) => ({
      index,
      items: timed(() => livePage(view, question)),
    }))
    const { limit } = question
    // One more than asked for says that there is another page.
    if (live.length > limit) return { index, ...pageOf(live.slice(0, limit), 'live') }
    const room = limit - live.length
    const ended = await endedPage(question, room + 1)
    if (ended.length > 0 && room === 0) return { index, ...pageOf(live, 'live') }
    const { items, nextCursor } = pageOf(ended.slice(0, room), 'ended')
    const shown = [...live, ...items.filter(inPhase)]
    return ended.length > room && nextCursor
      ? { index, items: shown, nextCursor }
      : { index, items: shown }

    function inPhase({ phase }: Reservation): boolean {
      return question.phases.has(phase)
    }
  }

  async function endedPage(question: ListQuestion, limit: number): Promise<readonly Reservation[]> {
    const { party, role, phases, after } = question
    if (!ENDED.some((phase) => phases.has(phase))) return []
    const place = after?.segment === 'ended' ? after : undefined
    const recorded = await history.listEnded({
      limit,
      ...(party !== undefined && { party }),
      ...(role && { role }),
      ...(place && { after: { createdAt: place.createdAt, id: place.id } }),
    })
    const inMemory = await writer.read((view) => [...view.ended()])
    const lately = inMemory.filter((one) => isParty(one, party, role))
    const due = place ? lately.filter((one) => byRecord(one, place) < 0) : lately
    const all = new Map([...due, ...recorded].map((one) => [one.id, one]))
    return [...all.values()].sort((left, right) => byRecord(right, left)).slice(0, limit)
  }
}

function isParty({ requester, legs }: Reservation, party: string | undefined, role?: Role) {
  if (party === undefined) return true
  const isProvider = legs.some(({ clusterId }) => clusterId === party)
  return (role !== 'provider' && requester === party) || (role !== 'requester' && isProvider)
}

function livePage(view: LedgerView, { party, role, phases, limit, after }: ListQuestion) {
  const items: Reservation[] = []
  if (after?.segment === 'ended' || !LIVE.some((phase) => phases.has(phase))) return items
  for (const reservation of liveOf(view, party, role)) {
    if (!phases.has(reservation.phase)) continue
    if (after && !isLater(reservation, after)) continue
    items.push(reservation)
    if (items.length > limit) break
  }
  return items
}

function liveOf(view: LedgerView, party: string | undefined, role: Role | undefined) {
  if (party === undefined) return view.reservations()
  if (role === 'requester') return view.requestedBy(party)
  if (role === 'provider') return [...view.heldOn(party)].sort(byCreation)
  return [...view.requestedBy(party), ...view.heldOn(party)].sort(byCreation)
}

type Created = Readonly<{ createdAt: number; id: string }>

function byCreation(left: Created, right: Created): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt
  // Ids end in a number in base 36: a longer one is a later one.
  if (left.id.length !== right.id.length) return left.id.length - right.id.length
  return left.id < right.id ? -1 : Number(left.id > right.id)
}

/** As the history orders what it has, so that a page of both continues where the last one ended. */
function byRecord(left: Created, right: Created): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt
  return left.id < right.id ? -1 : Number(left.id > right.id)
}

function isLater(reservation: Reservation, place: Place): boolean {
  return byCreation(reservation, place) > 0
}

/** Items, and the place after the last of them. */
function pageOf(items: readonly Reservation[], segment: Place['segment']) {
  const last = items.at(-1)
  return last ? { items, nextCursor: cursorIn(segment, last) } : { items }
}

/** The place after one of a page, where the next page begins. */
export function cursorAfter(reservation: Reservation): string {
  return cursorIn(isLive(reservation.phase) ? 'live' : 'ended', reservation)
}

function cursorIn(segment: Place['segment'], { createdAt, id }: Created): string {
  return writeCursor([segment, createdAt, id])
}

function readPlace(cursor: string, check: FieldCheck): Place | undefined {
  const [segment, createdAt, id] = readCursor(cursor, check)
  if (segment !== 'live' && segment !== 'ended') return undefined
  return { segment, createdAt: Number(createdAt), id: String(id) }
}

function readRole(role: string | undefined, check: FieldCheck): Role | undefined {
  if (role === undefined || role === '') return undefined
  if (role === 'requester' || role === 'provider') return role
  check.add('role', `'${role}' is not requester or provider`)
  return undefined
}

/** The live ones unless asked otherwise. */
function readPhases(written: string | undefined, check: FieldCheck): ReadonlySet<Phase> {
  if (!written) return new Set(LIVE)
  const phases = new Set<Phase>()
  for (const name of written.split(',')) {
    const parsed = Phase.safeParse(name.trim())
    if (parsed.success) phases.add(parsed.data)
    else check.add('phase', `'${name}' is not one of ${Phase.options.join(', ')}`)
  }
  return phases
}
