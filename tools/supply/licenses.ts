/** Licences that let us ship a package inside ours, as SPDX names them. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
])

/** Also for tools: MPL-2.0 asks for changes to be published, and we make none. */
const FOR_TOOLS = new Set([...PERMISSIVE, 'MPL-2.0'])

/** `A OR B`: one must be allowed. `A AND B`: both must be. */
export function isAllowed(license: string | undefined, use: 'shipped' | 'tool'): boolean {
  const allowed = use === 'shipped' ? PERMISSIVE : FOR_TOOLS
  const bare = (license ?? '').replace(/^\((.*)\)$/, '$1')
  if (/[()]/.test(bare)) return false
  return bare.split(' OR ').some((one) => one.split(' AND ').every((each) => allowed.has(each)))
}
