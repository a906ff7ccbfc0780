import { bad, type FlagKind, good } from '@bourse/daemon/settings'
import {
  defaultPolicy,
  namesOf,
  type Policy,
  parseWeights,
  rules,
  WEIGHT_MAX,
} from '@bourse/domain/placement'

/** `resources=70,cost=30`: each scorer is a weight by its name; only their proportions matter. */
export function policyFlag({ scorers } = rules): FlagKind<Policy> {
  return {
    placeholder: 'NAME=WEIGHT,…',
    parse(written) {
      const parsed = parseWeights(written, scorers)
      if (parsed.kind === 'ok') return good(parsed.policy)
      const example = defaultPolicy.version
      const limits = `each at most ${WEIGHT_MAX}, not all 0`
      return bad(`NAME=WEIGHT pairs, e.g. ${example}, of ${namesOf(scorers)}, ${limits}`)
    },
  }
}
