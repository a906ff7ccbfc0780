import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'

// node tools/render-config.ts HELM [--check]: the charts' manifests, for use without Helm.
const [helm = 'helm', ...flags] = process.argv.slice(2)
const isCheck = flags.includes('--check')
/** The charts' templates lie in folders of these names. */
const CHARTS: readonly Chart[] = [
  { name: 'bourse-broker', folders: ['rbac', 'admission', 'broker'], values: [] },
  {
    name: 'bourse-agent',
    folders: ['agent-rbac', 'agent-admission', 'agent'],
    values: ['--set=broker.url=https://broker.example:8443'],
  },
  {
    name: 'bourse-agent',
    folders: ['agent-placeholders'],
    values: ['--set=broker.url=https://broker.example:8443', '--set=placeholders.enabled=true'],
  },
  {
    name: 'bourse-agent',
    folders: ['agent-networking'],
    values: ['--set=broker.url=https://broker.example:8443', '--set=networking.kind=wireguard'],
  },
  {
    name: 'bourse-agent',
    folders: ['agent-liqoctl', 'agent-liqoctl-networking'],
    values: [
      ...['--set=broker.url=https://broker.example:8443', '--set=networking.kind=wireguard'],
      ...['--set=peering=liqoctl', '--set=liqoctl.kubeconfigsSecret=kubeconfigs'],
    ],
  },
]
/** Labels that say what is only true of a release of Helm's. */
const HELMS = ['helm.sh/chart', 'app.kubernetes.io/managed-by']

type Chart = Readonly<{ name: string; folders: readonly string[]; values: readonly string[] }>
type Manifest = { metadata: { labels?: Record<string, string> } }

const out = mkdtempSync(join(tmpdir(), 'bourse-config-'))
try {
  const stale = CHARTS.flatMap(render)
  if (stale.length > 0) {
    console.error(`Not what the charts say: ${stale.join(', ')}. Run \`make manifests\`.`)
    process.exitCode = 1
  }
} finally {
  rmSync(out, { recursive: true })
}

function render({ name, folders, values }: Chart): string[] {
  const release = ['template', name, `charts/${name}`, '--namespace=bourse-system', ...values]
  // Helm would assume a Kubernetes as old as itself.
  const args = [...release, '--kube-version=1.36.0', `--output-dir=${out}`]
  execFileSync(helm, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  return folders.flatMap((folder) => sync(name, folder))
}

function sync(chart: string, folder: string): string[] {
  const note = `# Rendered from charts/${chart} by \`make manifests\`; do not edit.\n`
  const from = join(out, chart, 'templates', folder)
  const to = join('config', folder)
  const wanted = new Map(readdirSync(from).map((name) => [name, note + plain(join(from, name))]))
  wanted.set('kustomization.yaml', note + stringify({ resources: [...wanted.keys()].sort() }))
  if (!isCheck) {
    rmSync(to, { recursive: true, force: true })
    mkdirSync(to, { recursive: true })
    for (const [name, text] of wanted) writeFileSync(join(to, name), text)
  }
  const found = readdirSync(to)
  return [...new Set([...wanted.keys(), ...found])]
    .filter((name) => readIfThere(join(to, name), found.includes(name)) !== wanted.get(name))
    .map((name) => join(to, name))
}

function readIfThere(path: string, isThere: boolean): string | undefined {
  return isThere ? readFileSync(path, 'utf8') : undefined
}

function plain(path: string): string {
  const documents = parseAllDocuments(readFileSync(path, 'utf8'))
  const manifests = documents.map((document) => {
    // The chart's templates hold Kubernetes objects only.
    const manifest = document.toJS() as Manifest
    for (const label of HELMS) delete manifest.metadata.labels?.[label]
    return stringify(manifest, { lineWidth: 100, aliasDuplicateObjects: false })
  })
  return manifests.join('---\n')
}
