import { Phase } from '@bourse/contract'
import { isLive, type LedgerView, type Reservation } from '@bourse/domain/ledger'
import type { Timed } from '../../fair-share/index.ts'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { History } from '../../store/port/history.ts'
import { type PageQuery, readChoice, readCursor, readLimit, writeCursor } from '../answers/page.ts'
import type { Caller } from '../callers/caller.ts'
import { createFieldCheck, type FieldCheck } from '../errors/field-check.ts'

export type ListQuery = PageQuery &
  Readonly<{ role?: string; phase?: string; requesterID?: string; providerID?: string }>

const ROLES = ['requester', 'provider'] as const
type Role = (typeof ROLES)[number]
type Place = Readonly<{ segment: 'live' | 'ended'; createdAt: number; id: string }>

/** What is asked for: first the live ones, oldest first, then the ended ones, newest first. */
export type ListQuestion = Readonly<{
  /** Undefined: the reservations of all clusters. */
  party: string | undefined
  role: Role | undefined
  /** Empty: any. */
  requester: string
  provider: string
  phases: ReadonlySet<Phase>
  limit: number
  after: Place | undefined
}>

type Page = Readonly<{
  index: number
  items: readonly Reservation[]
  nextCursor?: string | undefined
}>

const LIVE: readonly Phase[] = ['Pending', 'Reserved', 'Active']
const ENDED: readonly Phase[] = ['Released', 'Failed']

export function readListQuery(query: ListQuery, { id, isOperator }: Caller): ListQuestion {
  const check = createFieldCheck()
  const role = readChoice('role', query.role, { choices: ROLES, check })
  const { requesterID: requester = '', providerID: provider = '' } = query
  const question: ListQuestion = {
    // An operator that names no role gets the reservations of all clusters, or of those it names.
    ...(isOperator && !role ? partyOf(requester, provider) : { party: id, role }),
    requester,
    provider,
    phases: readPhases(query.phase, check),
    limit: readLimit(query.limit, check),
    after: query.cursor ? readPlace(query.cursor, check) : undefined,
  }
  check.done()
  return question
}

/** Found by the one that is named, so that the others need not be read. */
function partyOf(requester: string, provider: string): Pick<ListQuestion, 'party' | 'role'> {
  if (provider !== '') return { party: provider, role: 'provider' }
  if (requester !== '') return { party: requester, role: 'requester' }
  return { party: undefined, role: undefined }
}

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  history: Pick<History, 'listEnded'>
}>

export function createReservationList({ writer, history }: Ports) {
  /** `timed`: to look through what is live takes milliseconds where there is much of it. */
  return async function list(question: ListQuestion, timed: Timed): Promise<Page> {
    const { index, live, lately } = await writer.read((view, index) => ({
      index,
      ...timed(() => ({ live: livePage(view, question), lately: endedLately(view, question) })),
    }))
    const { limit } = question
    // One more than asked for says that there is another page.
    if (live.length > limit) return pageOf(live.slice(0, limit), true)
    const room = limit - live.length
    const ended = await endedPage(question, { live, lately })
    return pageOf([...live, ...ended.slice(0, room)], ended.length > room)

    function pageOf(rows: readonly Reservation[], isMore: boolean): Page {
      const last = rows.at(-1)
      const items = rows.filter((one) => isAskedFor(one, question))
      return { index, items, nextCursor: isMore && last ? cursorAfter(last) : undefined }
    }
  }

  /**
   * Asks the history last: what leaves memory meanwhile is in `lately`, and what ends meanwhile is
   * in `live`.
   */
  async function endedPage(question: ListQuestion, { live, lately }: InMemory) {
    if (!asksForEnded(question)) return []
    const { party, role, limit } = question
    const place = endedPlace(question)
    const recorded = await history.listEnded({
      limit: limit + 1,
      ...(party !== undefined && { party }),
      ...(role && { role }),
      ...(place && { after: { createdAt: place.createdAt, id: place.id } }),
    })
    const all = new Map([...lately, ...recorded].map((one) => [one.id, one]))
    for (const { id } of live) all.delete(id)
    return [...all.values()].sort((left, right) => byRecord(right, left))
  }
}

/** Read at one moment. */
type InMemory = Readonly<{ live: readonly Reservation[]; lately: readonly Reservation[] }>

function asksForEnded({ phases }: ListQuestion): boolean {
  return ENDED.some((phase) => phases.has(phase))
}

function endedPlace({ after }: ListQuestion): Place | undefined {
  return after?.segment === 'ended' ? after : undefined
}

/** Those after the place that the history may not have yet. */
function endedLately(view: LedgerView, question: ListQuestion): readonly Reservation[] {
  if (!asksForEnded(question)) return []
  const { party, role } = question
  const place = endedPlace(question)
  return [...view.ended()].filter(
    (one) => isParty(one, party, role) && (!place || byRecord(one, place) < 0),
  )
}

function isParty({ requester, legs }: Reservation, party: string | undefined, role?: Role) {
  if (party === undefined) return true
  const isProvider = legs.some(({ clusterId }) => clusterId === party)
  return (role !== 'provider' && requester === party) || (role !== 'requester' && isProvider)
}

function isAskedFor(reservation: Reservation, question: ListQuestion): boolean {
  const { requester, provider, phases } = question
  if (requester !== '' && reservation.requester !== requester) return false
  return (
    phases.has(reservation.phase) && (provider === '' || isParty(reservation, provider, 'provider'))
  )
}

function livePage(view: LedgerView, question: ListQuestion) {
  const { party, role, phases, limit, after } = question
  const items: Reservation[] = []
  if (after?.segment === 'ended' || !LIVE.some((phase) => phases.has(phase))) return items
  for (const reservation of liveOf(view, party, role)) {
    if (!isAskedFor(reservation, question)) continue
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
  const isSameMoment = left.createdAt === right.createdAt
  // Ids end in a number in base 36: a longer one is a later one.
  return (isSameMoment && left.id.length - right.id.length) || byRecord(left, right)
}

/** As the history orders what it has, so that a page of both continues where the last one ended. */
function byRecord(left: Created, right: Created): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt
  return left.id < right.id ? -1 : Number(left.id > right.id)
}

function isLater(reservation: Reservation, place: Place): boolean {
  return byCreation(reservation, place) > 0
}

/** The place after one of a page, where the next page begins. */
export function cursorAfter({ phase, createdAt, id }: Reservation): string {
  return writeCursor([isLive(phase) ? 'live' : 'ended', createdAt, id])
}

function readPlace(cursor: string, check: FieldCheck): Place | undefined {
  const [segment, createdAt, id] = readCursor(cursor, check)
  if (segment !== 'live' && segment !== 'ended') return undefined
  return { segment, createdAt: Number(createdAt), id: String(id) }
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
