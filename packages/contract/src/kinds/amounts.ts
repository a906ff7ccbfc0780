import { z } from 'zod'
import { RESOURCE_KINDS_MAX } from '../fields/limits.ts'
import { isAmount, isNegative, isPositive, isSame, isWhole, type Rule, rules } from './cel.ts'

/** Longer than any quantity that means something; also what keeps the rules' cost bounded. */
const AMOUNT_LENGTH_MAX = 64

const amountRules: readonly Rule[] = [
  { rule: isAmount('self'), message: 'this is not a quantity: write one such as 2, 500m or 4Gi' },
  { rule: `!${isNegative('self')}`, message: 'an amount is zero or more, never negative' },
  {
    rule: `type(self) == int || !isQuantity(self) || quantity(self).isLessThan(quantity('8Ei'))`,
    message: 'an amount stays below 2^63',
  },
]

/** A Kubernetes quantity, with or without quotes. */
export const Amount = z.union([z.int(), z.string()]).meta({
  'x-kubernetes-int-or-string': true,
  maxLength: AMOUNT_LENGTH_MAX,
  ...rules(...amountRules),
})

const WHOLE_UNLESS = "['cpu', 'memory', 'storage', 'ephemeral-storage']"

const mapRules: readonly Rule[] = [
  agreeing('gpu', 'nvidia.com/gpu'),
  agreeing('storage', 'ephemeral-storage'),
  {
    rule: `self.all(name, name in ${WHOLE_UNLESS} || name.startsWith('hugepages-') || ${isWhole('self[name]')})`,
    message: 'gpu and other extended resources come in whole pieces',
  },
]

const NAMES =
  'by resource name: cpu, memory, gpu (short for nvidia.com/gpu), storage (short for ' +
  'ephemeral-storage) or any extended name such as example.com/fpga'

/** What a cluster has: zero is legal. */
export const Amounts = amounts(mapRules)

/** What a request asks for: zero means "not requested", and at least one is positive. */
export const WantedAmounts = amounts([
  ...mapRules,
  {
    rule: `self.exists(name, ${isPositive('self[name]')})`,
    message: 'ask for a positive amount of at least one resource, such as cpu: "2"',
  },
])

/** What the broker writes: replaced whole, so that no earlier name stays. */
export const OutputAmounts = z
  .record(z.string(), z.string().max(AMOUNT_LENGTH_MAX))
  .meta({ maxProperties: RESOURCE_KINDS_MAX, 'x-kubernetes-map-type': 'atomic' })

/** As an output among a user's fields: checked like what the user writes beside it. */
export const IgnoredAmounts = Amounts.meta({ 'x-kubernetes-map-type': 'atomic' })

/** `Allocatable amounts by resource name: cpu, memory, …`. */
export function amountsBy(what: string): string {
  return `${what}, ${NAMES}.`
}

function amounts(all: readonly Rule[]) {
  return z.record(z.string(), Amount).meta({ maxProperties: RESOURCE_KINDS_MAX, ...rules(...all) })
}

/** contract §2: both names of one thing, saying different things. */
function agreeing(alias: string, name: string): Rule {
  return {
    rule: `!('${alias}' in self) || !('${name}' in self) || ${isSame(`self['${alias}']`, `self['${name}']`)}`,
    message: `${alias} and ${name} are the same resource and must not differ: give one of them`,
  }
}

const QUANTITY = /^[+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/

/**
 * Amounts of which an object may have thousands: a pattern costs the API server little, where rules
 * for each of them would be refused as too dear.
 */
export const UnruledAmounts = z
  .record(z.string(), z.string().max(AMOUNT_LENGTH_MAX).regex(QUANTITY))
  .meta({ maxProperties: RESOURCE_KINDS_MAX })
