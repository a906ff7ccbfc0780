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

/** For what we only build and test with: its authors want their changes back, and we make none. */
const FOR_TOOLS = new Set([...PERMISSIVE, 'MPL-2.0'])

/** Of a choice one is enough; of what comes together each has to be allowed. */
export function isAllowed(license: string | undefined, use: 'shipped' | 'tool'): boolean {
  const allowed = use === 'shipped' ? PERMISSIVE : FOR_TOOLS
  const bare = (license ?? '').replace(/^\((.*)\)$/, '$1')
  if (/[()]/.test(bare)) return false
  return bare.split(' OR ').some((one) => one.split(' AND ').every((each) => allowed.has(each)))
}
