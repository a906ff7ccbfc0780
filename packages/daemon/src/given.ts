type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** Only the fields that have a value: an optional field is absent, never undefined. */
export function given<T extends object>(fields: T): Given<T> {
  const found = Object.entries(fields).filter(([, value]) => value !== undefined)
  // Only fields that were undefined are left out.
  return Object.fromEntries(found) as Given<T>
}
