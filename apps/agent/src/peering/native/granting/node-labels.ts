const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const LENGTH_MAX = 63
/** Theirs to set; a virtual-kubelet that claims one of these is refused by its API server. */
const KUBERNETES = /(^|\.)(kubernetes|k8s)\.io$/

/** The labels of a cluster that are also valid labels of a Node. */
export function nodeLabelsIn(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key, value]) => isLabel(key, value)))
}

function isLabel(key: string, value: string): boolean {
  const slash = key.lastIndexOf('/')
  const [domain, name] = [key.slice(0, Math.max(slash, 0)), key.slice(slash + 1)]
  const isName = (text: string) => text.length <= LENGTH_MAX && NAME.test(text)
  const isDomain = slash < 0 || (DOMAIN.test(domain) && !KUBERNETES.test(domain))
  return isDomain && isName(name) && (value === '' || isName(value))
}
