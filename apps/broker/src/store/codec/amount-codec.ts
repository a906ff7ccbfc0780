import type { Resources } from '@bourse/domain/quantity'

/** A whole number as JSON can carry it: digits in quotes beyond 2^53 − 1, where doubles round. */
export type StoredAmount = number | string

/** A value as it is written: the same shape, with amounts that JSON can carry. */
export type Stored<T> = T extends bigint
  ? StoredAmount
  : T extends readonly (infer Item)[]
    ? readonly Stored<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Stored<T[Key]> }
      : T

export function encodeAmount(amount: bigint): StoredAmount {
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number : amount.toString()
}

export const decodeAmount = (stored: StoredAmount): bigint => BigInt(stored)

export const encodeResources = (resources: Resources): Stored<Resources> =>
  mapValues(resources, encodeAmount)

export const decodeResources = (stored: Stored<Resources>): Resources =>
  mapValues(stored, decodeAmount)

const OPEN = { enumerable: true, configurable: true, writable: true }

/** Defined rather than assigned where it matters: `__proto__` stays an ordinary key. */
export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  const changed: Record<string, To> = {}
  for (const key of Object.keys(record)) {
    const value = change(record[key] as From) // its own key, so its own value
    if (key === '__proto__') Object.defineProperty(changed, key, { ...OPEN, value })
    else changed[key] = value
  }
  return changed
}
