import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { agentKinds, brokerKinds, definitionOf, type KindDefinition } from '../src/kinds/index.ts'

// node packages/contract/scripts/write-manifests.ts [--check]
const root = new URL('../../../', import.meta.url)
const isCheck = process.argv.includes('--check')
const NOTE = '# Generated from packages/contract/src/kinds by `make manifests`; do not edit.\n'

/** The charts read them from here, too, by a link. */
const folder = 'config/crd/bases/'
const stale = sync([...brokerKinds, ...agentKinds])
if (stale.length > 0) {
  console.error(`Not what the schemas say: ${stale.join(', ')}. Run \`make manifests\`.`)
  process.exitCode = 1
}

/** Makes the folder hold these CRDs and nothing else, or says which files differ. */
function sync(kinds: readonly KindDefinition[]): string[] {
  const at = new URL(folder, root)
  const wanted = new Map(kinds.map((kind) => [`${kind.group}_${kind.plural}.yaml`, textOf(kind)]))
  if (!isCheck) {
    rmSync(at, { recursive: true, force: true })
    mkdirSync(at, { recursive: true })
    for (const [name, text] of wanted) writeFileSync(new URL(name, at), text)
  }
  const found = readdirSync(at)
  return [...new Set([...wanted.keys(), ...found])]
    .filter(
      (name) =>
        !found.includes(name) || readFileSync(new URL(name, at), 'utf8') !== wanted.get(name),
    )
    .map((name) => `${folder}${name}`)
}

function textOf(kind: KindDefinition): string {
  return NOTE + stringify(definitionOf(kind), { lineWidth: 100, aliasDuplicateObjects: false })
}
