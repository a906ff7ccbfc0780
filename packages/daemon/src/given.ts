type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** The same without what is undefined: an optional part is absent, and never undefined. */
export function given<T extends object>(parts: T): Given<T> {
  const there = Object.entries(parts).filter(([, value]) => value !== undefined)
  // What was undefined is left out, and nothing else is.
  return Object.fromEntries(there) as Given<T>
}
