import { copyFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { aNode, startControlPlane } from '../src/control-plane/index.ts'
import { findTools } from '../src/control-plane/kubernetes-tools.ts'

/** `make cluster`: a control plane to play with, until it is told to stop. */
const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '0' },
    'data-dir': { type: 'string' },
    // A copy under a name that one can foresee, for a second terminal.
    kubeconfig: { type: 'string' },
  },
})
const nodes = Number(values.nodes)
const dataDir = values['data-dir']
const withNodes = nodes > 0
const stopped = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
})

console.log('Starting etcd and kube-apiserver…')
const cluster = await startControlPlane({
  withControllers: true,
  withScheduler: withNodes,
  withKwok: withNodes,
  ...(dataDir !== undefined && { dataDir }),
})
for (let number = 1; number <= nodes; number++)
  await cluster.kubectl(['apply', '--filename=-'], JSON.stringify(aNode(`node-${number}`)))

const kubeconfig = values.kubeconfig ?? cluster.adminKubeconfig
if (values.kubeconfig !== undefined) copyFileSync(cluster.adminKubeconfig, values.kubeconfig)

console.log(`
A Kubernetes runs at ${cluster.url}. In another terminal:

  export KUBECONFIG=${kubeconfig}
  export PATH=${dirname(findTools()('kubectl'))}:$PATH
  kubectl get ${withNodes ? 'nodes' : 'namespaces'}

Ctrl-C stops it${dataDir ? '' : ' and removes its data'}.`)

// A promise alone keeps no process alive, and the pipes of the parts do.
await stopped
await cluster.stop()
console.log('Stopped.')
