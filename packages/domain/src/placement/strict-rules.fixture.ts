import type { Board } from './board/board.ts'
import type { Field } from './board/verdicts.ts'
import type { Need, PlacementRequest } from './decision/decision.ts'
import type { Filter } from './filters/filter.ts'
import type { Rules } from './rules.ts'
import type { Scorer } from './scorers/scorer.ts'

/** The same rules, each of which fails as soon as it reads what it does not declare to need. */
export function strictRules({ measures, filters, scorers }: Rules): Rules {
  return { measures, filters: filters.map(strictFilter), scorers: scorers.map(strictScorer) }
}

export function strictFilter(filter: Filter): Filter {
  return {
    ...filter,
    refuse: (board, request, verdicts) =>
      filter.refuse(board, onlyDeclared(filter, request), verdicts),
  }
}

export function strictScorer(scorer: Scorer): Scorer {
  const { score, rescore, affectsOthers } = scorer
  const strict = (field: Field): Field => ({
    ...field,
    board: onlyRead(scorer, field.board),
    request: onlyDeclared(scorer, field.request),
  })
  return {
    ...scorer,
    score: (field, scores) => score(strict(field), scores),
    ...(rescore && { rescore: (field, scores, slot) => rescore(strict(field), scores, slot) }),
    ...(affectsOthers && {
      affectsOthers: (field, scores, slot) => affectsOthers(strict(field), scores, slot),
    }),
  }
}

type Declared = Readonly<{ name: string; needs: readonly Need[] }>

function onlyDeclared({ name, needs }: Declared, request: PlacementRequest): PlacementRequest {
  return new Proxy(request, {
    get(target, field, receiver) {
      if (!needs.some((need) => need === field))
        throw new Error(`${name} reads ${String(field)} and does not declare it`)
      return Reflect.get(target, field, receiver)
    },
  })
}

function onlyRead({ name, reads }: Scorer, board: Board): Board {
  const measure: Board['measure'] = (wanted) => {
    if (!reads.includes(wanted)) throw new Error(`${name} reads ${wanted} and does not declare it`)
    return board.measure(wanted)
  }
  return new Proxy(board, {
    get: (target, field) => (field === 'measure' ? measure : Reflect.get(target, field)),
  })
}
