/** Far deeper than a description of an installation or a place needs. */
export const NESTING_MAX = 32

/**
 * What is carried as it came must be shallow: it is written, read and compared by functions that
 * call themselves, and a few thousand levels are the end of the stack. So this one does not.
 */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isNest)
  for (let depth = 0; depth < NESTING_MAX && level.length > 0; depth++)
    level = level.flatMap((nest): unknown[] => Object.values(nest)).filter(isNest)
  return level.length > 0
}

function isNest(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
