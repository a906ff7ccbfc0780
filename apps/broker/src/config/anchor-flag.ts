import { bad, type FlagKind, good } from '@bourse/daemon/settings'

/** Where it is noted how far the ledger is, outside the store. */
export type AnchorConfig =
  | Readonly<{ kind: 'file'; path: string }>
  | Readonly<{ kind: 'configmap'; namespace: string; name: string }>

const PREFIX = 'configmap:'
const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'
const CONFIG_MAP = new RegExp(`^(${LABEL})/(${LABEL}(?:\\.${LABEL})*)$`)
const NAME_MAX = 253

export const anchorFlag: FlagKind<AnchorConfig> = {
  placeholder: 'FILE|configmap:NAMESPACE/NAME',
  parse(written) {
    if (written.startsWith(PREFIX)) return parseConfigMap(written.slice(PREFIX.length))
    if (written.trim() === '') return bad(ALLOWED)
    return good({ kind: 'file', path: written })
  },
}

const ALLOWED = 'a file, or configmap:NAMESPACE/NAME'

function parseConfigMap(written: string) {
  const [, namespace, name] = CONFIG_MAP.exec(written) ?? []
  if (namespace === undefined || name === undefined || name.length > NAME_MAX) return bad(ALLOWED)
  return good({ kind: 'configmap', namespace, name } as const)
}
