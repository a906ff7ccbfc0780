import type { Explained } from '@bourse/contract/dashboard'

type Asked = Pick<Explained, 'outcome' | 'pinned' | 'requester' | 'refused' | 'rows'>

/** The only reasons when the target is unknown: every known cluster is another one. */
const OTHERS: ReadonlySet<string> = new Set(['NotTheTarget', 'IsRequester'])

/** The outcome in one sentence. */
export function headline(explained: Asked): string {
  const { outcome, pinned, rows } = explained
  if (isTargetUnknown(explained)) return `${pinned} is not known here`
  if (outcome === 'refused')
    return pinned === undefined ? 'No cluster could take it' : `${pinned} could not take it`
  const chosen = rows.find((row) => row.verdict === 'chosen') ?? rows[0]
  return `${chosen?.clusterId ?? 'A cluster'} was chosen`
}

/** By the counts: of a large federation the rows are only the first few hundred. */
export function isTargetUnknown({ outcome, pinned, requester, refused }: Asked): boolean {
  if (outcome !== 'refused' || pinned === undefined || pinned === requester) return false
  return Object.keys(refused).every((code) => OTHERS.has(code))
}
