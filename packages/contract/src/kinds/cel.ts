/** One rule that the API server keeps: what must hold, and the sentence for when it does not. */
export type Rule = Readonly<{ rule: string; message: string; fieldPath?: string; reason?: Reason }>
type Reason = 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired'

type Rules = Readonly<{ 'x-kubernetes-validations': readonly Rule[] }>

/** Puts rules on a schema: `z.string().meta(rules(…))`. */
export function rules(...all: readonly Rule[]): Rules {
  return { 'x-kubernetes-validations': all }
}

/** A field of `spec` that stays what it was; an absent one stays absent. */
export function immutable(field: string): Rule {
  const kept = `has(self.${field}) == has(oldSelf.${field})`
  const same = `(!has(self.${field}) || self.${field} == oldSelf.${field})`
  return {
    rule: `${kept} && ${same}`,
    message: `${field} cannot be changed: delete this object and make another one`,
    fieldPath: `.${field}`,
    reason: 'FieldValueForbidden',
  }
}

/** Of a spec with an optional `duration`. */
export const durationStays: Rule = {
  rule: '!has(oldSelf.duration) || has(self.duration)',
  message: 'a duration can be changed, but not removed',
  fieldPath: '.duration',
  reason: 'FieldValueForbidden',
}

/*
 * Amounts are integers or quantity strings, `dyn` to CEL. `string(dyn)` has no estimated size, so
 * the API server would refuse a rule that uses it as too costly: both forms are handled apart.
 */

/** Whether this is an amount. The other rules pass anything else, so that only one complains. */
export function isAmount(x: string): string {
  return `(type(${x}) == int || isQuantity(${x}))`
}

export function isNegative(x: string): string {
  return `(type(${x}) == int ? ${x} < 0 : isQuantity(${x}) && sign(quantity(${x})) < 0)`
}

export function isPositive(x: string): string {
  return `(type(${x}) == int ? ${x} > 0 : isQuantity(${x}) && sign(quantity(${x})) > 0)`
}

/** `2000m` is two whole pieces; the library's own isInteger asks how a number is written. */
export function isWhole(x: string): string {
  const number = `quantity(${x}).asApproximateFloat()`
  const fits = `quantity(${x}).isLessThan(quantity('8Ei'))`
  return `(type(${x}) == int || !isQuantity(${x}) || !${fits} || double(int(${number})) == ${number})`
}

export function isAtMost(a: string, b: string): string {
  return compared(a, '<=', b)
}

export function isSame(a: string, b: string): string {
  return compared(a, '==', b)
}

/** Exact between strings; an integer beside a string is compared as a number of 53 bits. */
function compared(a: string, relation: '<=' | '==', b: string): string {
  const exact = `quantity(${a}).compareTo(quantity(${b})) ${relation} 0`
  const near = `${approximate(a)} ${relation} ${approximate(b)}`
  const bothText = `type(${a}) == string && type(${b}) == string`
  return `(!${isAmount(a)} || !${isAmount(b)} || (${bothText} ? ${exact} : ${near}))`
}

function approximate(x: string): string {
  return `(type(${x}) == int ? double(${x}) : quantity(${x}).asApproximateFloat())`
}
