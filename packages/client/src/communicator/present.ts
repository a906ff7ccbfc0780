type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The fields that are not undefined. */
export function present<T extends object>(fields: T): Present<T> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  // TypeScript does not follow the filter.
  return Object.fromEntries(given) as Present<T>
}
