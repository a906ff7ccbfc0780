import { AdvertisementInput, CostInput, PROBLEM_FIELDS_MAX, printable } from '@bourse/contract'
import { memberPath } from './field-check.ts'

/** Cut: a name may be as long as a body. */
const SHOWN_NAME_MAX = 64

const { shape } = AdvertisementInput
const known = {
  all: new Set(Object.keys(shape)),
  resources: new Set(Object.keys(shape.resources.shape)),
  cost: new Set(Object.keys(CostInput.unwrap().shape)),
}

/** The paths of what an advertisement has and this broker does not know: its agent may be newer. */
export function ignoredFields({ resources, cost, ...rest }: AdvertisementInput): string[] {
  return [
    ...strangers('', rest, known.all),
    ...strangers('resources', resources, known.resources),
    ...strangers('cost', cost ?? {}, known.cost),
  ].slice(0, PROBLEM_FIELDS_MAX)
}

function strangers(path: string, part: object, names: ReadonlySet<string>): string[] {
  const found: string[] = []
  for (const name in part) {
    if (names.has(name)) continue
    found.push(memberPath(path, printable(name.slice(0, SHOWN_NAME_MAX))))
    if (found.length === PROBLEM_FIELDS_MAX) break
  }
  return found
}
