import type { HourlyPrice, Leg, Reservation } from '@bourse/domain/ledger'
import type { DecisionSummary, Scored } from '@bourse/domain/placement'
import type { Resources } from '@bourse/domain/quantity'
import { onceEach } from '../../cache/once-each.ts'
import { encodeAmount, encodeResources } from './amount-codec.ts'
import { compiled, type Field, reservationFields, type Shape } from './fields.ts'

/** A dozen resources; a vector may have 64 with long names. */
const KEPT_LENGTH_MAX = 512
const few = { isSmall: (text: string) => text.length <= KEPT_LENGTH_MAX }

const vectorText = onceEach<Resources, string>(
  (vector) => JSON.stringify(encodeResources(vector)),
  few,
)

const legsText = onceEach<readonly Leg[], string>((legs) => `[${legs.map(legText).join()}]`, few)

const priceText = onceEach<HourlyPrice, string>(({ perHour, currency }) =>
  JSON.stringify({ perHour: encodeAmount(perHour), currency }),
)

/** How each shape is printed inside a template. Phases and reasons are words. */
const printers: Readonly<Record<Shape, (value: string) => string>> = {
  string: (value) => `\${quoted(${value})}`,
  name: (value) => `\${quoted(${value})}`,
  digest: (value) => `\${quoted(${value})}`,
  number: (value) => `\${${value}}`,
  vector: (value) => `\${vectorText(${value})}`,
  legs: (value) => `\${legsText(${value})}`,
  price: (value) => `\${priceText(${value})}`,
  names: (value) => `\${quoted(${value})}`,
  phase: (value) => `"\${${value}}"`,
  reason: (value) => `"\${${value}}"`,
  flag: () => 'true',
}

function legText({ clusterId, resources }: Leg): string {
  return `{"clusterId":${quoted(clusterId)},"resources":${vectorText(resources)}}`
}

const quoted = (text: string | readonly string[]): string => JSON.stringify(text)

type TextOf = (reservation: Reservation) => string

/** Writes all fields of a table, those first that are always there. */
export function textWriter(fields: readonly Field[]): TextOf {
  const always = fields.filter(({ isOptional }) => !isOptional)
  const sometimes = fields.filter(({ isOptional }) => isOptional)
  const member = ({ key, is }: Field) => `"${key}":${printers[is](`one.${key}`)}`
  const more = sometimes.map(
    (field) => `if (one.${field.key} !== undefined) text += \`,${member(field)}\``,
  )
  const source = `return (one) => {
    let text = ''
    ${more.join('\n')}
    return \`{${always.map(member).join()}\${text}}\`
  }`
  const used = { quoted, vectorText, legsText, priceText }
  return compiled<(...used: unknown[]) => TextOf>(Object.keys(used), source)(...Object.values(used))
}

/**
 * One reservation, as `decodeReservation` reads it. Put together from what is printed already:
 * thousands a second are written down, and like ones differ in their ids and moments alone.
 */
export const reservationText: TextOf = textWriter(reservationFields)

/** They change with every decision: kept for long, they would only grow old as garbage. */
const SCORED_KEPT_MAX = 128

/**
 * Most of the cost of a decision's grounds is printing fractions, and of two decisions for the same
 * wish in a row most of the best are the very same.
 */
const scoredText = onceEach<Scored, string>((scored) => JSON.stringify(scored), {
  keptMax: SCORED_KEPT_MAX,
})

/** The JSON of a decision's grounds. */
export function decisionText({ policy, best, refused, rates }: DecisionSummary): string {
  const converted = rates === undefined ? '' : `,"rates":${JSON.stringify(rates)}`
  const named = `"policy":${JSON.stringify(policy)}${converted}`
  return `{${named},"best":[${best.map(scoredText).join()}],"refused":${JSON.stringify(refused)}}`
}

/** The JSON of an object with one more member, whose own JSON is there already. */
export const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)},"${name}":${value}}`
