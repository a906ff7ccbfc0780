import type { KubeObject, Selection } from '@bourse/kube'

/** Selectors as far as peering uses them: equality, existence, fields by their path. */
export function matches(object: KubeObject, selection: Selection): boolean {
  const { namespace, labelSelector, fieldSelector } = selection
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false
  return (
    termsOf(labelSelector).every(([name, value]) => hasLabel(object, name, value)) &&
    termsOf(fieldSelector).every(([path, value]) => String(fieldOf(object, path)) === value)
  )
}

function termsOf(selector = ''): [string, string | undefined][] {
  const terms = selector.split(',').filter((term) => term !== '')
  return terms.map((term) => {
    const [name = '', value] = term.split('=')
    return [name, value]
  })
}

function hasLabel({ metadata }: KubeObject, name: string, value: string | undefined): boolean {
  const label = metadata.labels?.[name]
  return value === undefined ? label !== undefined : label === value
}

function fieldOf(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    // A path leads through tables only.
    return (value as Record<string, unknown> | undefined)?.[name]
  }, object)
}
