import assert from 'node:assert/strict'
import type { Kind } from '../objects/objects.ts'
import { apiVersionOf } from '../objects/objects.ts'

/** The path of a list; without a namespace, of all namespaces. */
export function listPath(kind: Kind, namespace: string | undefined): string {
  const root = kind.group === '' ? '/api' : '/apis'
  const scope =
    kind.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  return `${root}/${apiVersionOf(kind)}${scope}/${kind.plural}`
}

/** The path of one object; a namespaced kind needs a namespace. */
export function objectPath(
  kind: Kind,
  { namespace, name }: Readonly<{ namespace?: string | undefined; name: string }>,
  subresource?: string,
): string {
  // With an empty name the path is that of the whole list: fatal in a delete.
  assert(name !== '', `a ${kind.kind} without a name has no address`)
  const path = `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

/** The path for creating an object. */
export function collectionPath(kind: Kind, namespace: string | undefined): string {
  assert(
    !kind.namespaced || (namespace !== undefined && namespace !== ''),
    `a ${kind.kind} needs a namespace`,
  )
  return listPath(kind, namespace)
}

export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? path : `${path}?${given}`
}
