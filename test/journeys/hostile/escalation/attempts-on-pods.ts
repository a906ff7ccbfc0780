import { aPod } from '@bourse/testkit/control-plane'
import type { Attempt } from './caller.ts'
import { OWN, object, placeholder, UNPRIVILEGED } from './scene.ts'

const CORE = '/api/v1/namespaces'
const container = { name: 'mine', image: 'example.org/mine' }
const POD_STATUS = `${CORE}/shop/pods/guest/status`

const made = (tries: string, body: object): Attempt => ({
  ...{ tries, call: `POST ${CORE}/default/pods`, body },
})
const pods: readonly Attempt[] = [
  made('runs a pod', aPod('mine')),
  made(
    'runs a pod with the files of its node',
    placeholder({ volumes: [{ name: 'node', hostPath: { path: '/' } }] }),
  ),
  made('runs a pod as another account', placeholder({ serviceAccountName: 'powerful' })),
  made('runs a pod with a token', placeholder({ automountServiceAccountToken: true })),
  made('runs a pod of another image', placeholder({}, { image: 'example.org/mine' })),
  made('runs a pod with a command', placeholder({}, { command: ['sh'] })),
  made('runs a pod with privileges', placeholder({}, { securityContext: { privileged: true } })),
  made('runs a pod in the network of its node', placeholder({ hostNetwork: true })),
  made('runs a pod on a node of its choice', placeholder({ nodeName: 'worker-1' })),
  made('runs a second container', placeholder({ initContainers: [container] })),
  made('runs a pod with the Secrets of others', {
    ...placeholder({}, { envFrom: [{ secretRef: { name: 'powerful' } }] }),
  }),
  ...['shop', 'kube-system', OWN].map((namespace) => ({
    tries: `runs a placeholder in ${namespace}`,
    call: `POST ${CORE}/${namespace}/pods`,
    body: { ...placeholder(), metadata: { ...placeholder().metadata, namespace } },
  })),
  ...['bourse-broker-0', 'bourse-broker-1', 'bourse-agent-0'].flatMap((name) => [
    {
      tries: `gives ${name} another image`,
      call: `PATCH ${CORE}/${OWN}/pods/${name}`,
      body: { spec: { containers: [{ name: 'main', image: 'example.org/mine' }] } },
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    },
    {
      tries: `has ${name} taken by a Service`,
      call: `PATCH ${CORE}/${OWN}/pods/${name}`,
      body: { metadata: { labels: { app: 'web' } } },
    },
    {
      tries: `annotates ${name}`,
      call: `PATCH ${CORE}/${OWN}/pods/${name}`,
      body: { metadata: { annotations: { mine: 'yes' } } },
    },
    {
      tries: `keeps ${name} from going`,
      call: `PATCH ${CORE}/${OWN}/pods/${name}`,
      body: { metadata: { finalizers: ['example.org/mine'] } },
    },
  ]),
  {
    tries: 'calls another broker the leader',
    call: `PATCH ${CORE}/${OWN}/pods/bourse-broker-1`,
    body: { metadata: { labels: { 'broker.fluidos.eu/role': 'leader' } } },
  },
  {
    tries: 'puts a container into a pod that runs',
    call: `PATCH ${CORE}/${OWN}/pods/bourse-broker-0/ephemeralcontainers`,
    body: { spec: { ephemeralContainers: [{ ...container, securityContext: UNPRIVILEGED }] } },
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
  },
  ...['exec?command=sh', 'attach', 'portforward?ports=80'].map((door) => ({
    ...{
      tries: `gets into a pod (${door})`,
      call: `POST ${CORE}/${OWN}/pods/bourse-agent-0/${door}`,
    },
    isConnection: true as const,
  })),
  {
    ...{ tries: 'reads the log of a pod', call: `GET ${CORE}/shop/pods/web/log` },
    isConnection: true,
  },
  {
    tries: 'puts a pod on a node',
    call: `POST ${CORE}/shop/pods/guest/binding`,
    body: {
      ...object('v1', 'Binding', { name: 'guest' }),
      target: { kind: 'Node', name: 'worker-1' },
    },
  },
  {
    tries: 'has a pod answer at another address',
    call: `PATCH ${CORE}/shop/pods/web/status`,
    body: { status: { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] } },
  },
  {
    tries: 'has an offloaded pod answer at another address',
    call: `PATCH ${POD_STATUS}`,
    body: { status: { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] } },
  },
  {
    tries: 'labels a pod by way of its status',
    call: `PATCH ${POD_STATUS}`,
    body: { metadata: { labels: { app: 'web' } } },
  },
  {
    tries: 'nominates a pod of others',
    call: `PATCH ${CORE}/default/pods/web/status`,
    body: { metadata: { annotations: { mine: 'yes' } } },
  },
  { tries: 'deletes a pod of others', call: `DELETE ${CORE}/shop/pods/web` },
  { tries: 'deletes a pod of the cluster', call: `DELETE ${CORE}/kube-system/pods/dns` },
  { tries: 'deletes a pod beside its own placeholders', call: `DELETE ${CORE}/default/pods/web` },
  { tries: 'deletes all pods of a namespace', call: `DELETE ${CORE}/shop/pods` },
  ...[
    ['kube-system', 'dns'],
    [OWN, 'bourse-broker-1'],
  ].map(([namespace, name]) => ({
    tries: `evicts ${name}`,
    call: `POST ${CORE}/${namespace}/pods/${name}/eviction`,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
  })),
]

const nodes: readonly Attempt[] = [
  {
    ...{ tries: 'speaks with a kubelet', call: 'GET /api/v1/nodes/worker-1/proxy/pods' },
    isConnection: true,
  },
  {
    ...{ tries: 'runs a command by way of a kubelet', isConnection: true },
    call: 'POST /api/v1/nodes/worker-1/proxy/run/shop/web/main?cmd=id',
  },
  {
    tries: 'cordons a node of the cluster',
    call: 'PATCH /api/v1/nodes/worker-1',
    body: { spec: { unschedulable: true } },
  },
  {
    tries: 'cordons a node that is borrowed by its name only',
    call: 'PATCH /api/v1/nodes/res-in-name-only',
    body: { spec: { unschedulable: true } },
  },
  {
    tries: 'has a node of the cluster count as borrowed',
    call: 'PATCH /api/v1/nodes/worker-1',
    body: { metadata: { labels: { 'liqo.io/type': 'virtual-node' } } },
  },
  {
    tries: 'labels a borrowed node',
    call: 'PATCH /api/v1/nodes/res-rsv-1',
    body: { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } },
  },
  {
    tries: 'taints a borrowed node',
    call: 'PATCH /api/v1/nodes/res-rsv-1',
    body: { spec: { taints: [{ key: 'mine', effect: 'NoExecute' }] } },
  },
  {
    tries: 'has a borrowed node collected as garbage',
    call: 'PATCH /api/v1/nodes/res-rsv-1',
    body: {
      metadata: {
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'gone', uid: 'gone' }],
      },
    },
  },
  { tries: 'deletes a node of the cluster', call: 'DELETE /api/v1/nodes/worker-1' },
  {
    tries: 'writes the status of a node',
    call: 'PATCH /api/v1/nodes/worker-1/status',
    body: { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.9' }] } },
  },
]

const labels = { app: 'mine' }
const template = { metadata: { labels }, spec: { containers: [container] } }

const workloads: readonly Attempt[] = [
  ...['Deployment', 'DaemonSet'].map((kind) => ({
    tries: `runs pods by way of a ${kind}`,
    call: `POST /apis/apps/v1/namespaces/${OWN}/${kind.toLowerCase()}s`,
    body: object(
      'apps/v1',
      kind,
      { name: 'mine', namespace: OWN },
      { spec: { selector: { matchLabels: labels }, template } },
    ),
  })),
  {
    tries: 'runs pods by way of a Job',
    call: `POST /apis/batch/v1/namespaces/${OWN}/jobs`,
    body: object(
      'batch/v1',
      'Job',
      { name: 'mine', namespace: OWN },
      { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    ),
  },
]

export const attemptsOnPods: readonly Attempt[] = [...pods, ...nodes, ...workloads]
