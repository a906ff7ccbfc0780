import { aPod } from '@bourse/testkit/control-plane'
import { type Attempt, attempt, CORE } from './caller.ts'
import { OWN, OWNER_GONE, object, placeholder, UNPRIVILEGED } from './scene.ts'

const container = { name: 'mine', image: 'example.org/mine' }
const POD_STATUS = `${CORE}/shop/pods/guest/status`

const made = (tries: string, body: object) => attempt(tries, `POST ${CORE}/default/pods`, body)

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
  ...['shop', 'kube-system', OWN].map((namespace) =>
    attempt(`runs a placeholder in ${namespace}`, `POST ${CORE}/${namespace}/pods`, {
      ...placeholder(),
      metadata: { ...placeholder().metadata, namespace },
    }),
  ),
  ...['bourse-broker-0', 'bourse-broker-1', 'bourse-agent-0'].flatMap((name) => [
    {
      tries: `gives ${name} another image`,
      call: `PATCH ${CORE}/${OWN}/pods/${name}`,
      body: { spec: { containers: [{ name: 'main', image: 'example.org/mine' }] } },
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    },
    attempt(`has ${name} taken by a Service`, `PATCH ${CORE}/${OWN}/pods/${name}`, {
      metadata: { labels: { app: 'web' } },
    }),
    attempt(`annotates ${name}`, `PATCH ${CORE}/${OWN}/pods/${name}`, {
      metadata: { annotations: { mine: 'yes' } },
    }),
    attempt(`keeps ${name} from going`, `PATCH ${CORE}/${OWN}/pods/${name}`, {
      metadata: { finalizers: ['example.org/mine'] },
    }),
  ]),
  attempt('calls another broker the leader', `PATCH ${CORE}/${OWN}/pods/bourse-broker-1`, {
    metadata: { labels: { 'broker.fluidos.eu/role': 'leader' } },
  }),
  {
    tries: 'puts a container into a pod that runs',
    call: `PATCH ${CORE}/${OWN}/pods/bourse-broker-0/ephemeralcontainers`,
    body: { spec: { ephemeralContainers: [{ ...container, securityContext: UNPRIVILEGED }] } },
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
  },
  ...['exec?command=sh', 'attach', 'portforward?ports=80'].map((door) => ({
    ...attempt(`gets into a pod (${door})`, `POST ${CORE}/${OWN}/pods/bourse-agent-0/${door}`),
    isConnection: true as const,
  })),
  {
    ...attempt('reads the log of a pod', `GET ${CORE}/shop/pods/web/log`),
    isConnection: true,
  },
  attempt('puts a pod on a node', `POST ${CORE}/shop/pods/guest/binding`, {
    ...object('v1', 'Binding', { name: 'guest' }),
    target: { kind: 'Node', name: 'worker-1' },
  }),
  attempt('has a pod answer at another address', `PATCH ${CORE}/shop/pods/web/status`, {
    status: { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] },
  }),
  attempt('has an offloaded pod answer at another address', `PATCH ${POD_STATUS}`, {
    status: { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] },
  }),
  attempt('labels a pod by way of its status', `PATCH ${POD_STATUS}`, {
    metadata: { labels: { app: 'web' } },
  }),
  attempt('nominates a pod of others', `PATCH ${CORE}/default/pods/web/status`, {
    metadata: { annotations: { mine: 'yes' } },
  }),
  attempt('deletes a pod of others', `DELETE ${CORE}/shop/pods/web`),
  attempt('deletes a pod of the cluster', `DELETE ${CORE}/kube-system/pods/dns`),
  attempt('deletes a pod beside its own placeholders', `DELETE ${CORE}/default/pods/web`),
  attempt('deletes all pods of a namespace', `DELETE ${CORE}/shop/pods`),
  ...[
    ['kube-system', 'dns'],
    [OWN, 'bourse-broker-1'],
  ].map(([namespace, name]) =>
    attempt(`evicts ${name}`, `POST ${CORE}/${namespace}/pods/${name}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
    }),
  ),
]

const nodes: readonly Attempt[] = [
  {
    ...attempt('speaks with a kubelet', 'GET /api/v1/nodes/worker-1/proxy/pods'),
    isConnection: true,
  },
  {
    ...{ tries: 'runs a command by way of a kubelet', isConnection: true },
    call: 'POST /api/v1/nodes/worker-1/proxy/run/shop/web/main?cmd=id',
  },
  attempt('cordons a node of the cluster', 'PATCH /api/v1/nodes/worker-1', {
    spec: { unschedulable: true },
  }),
  attempt(
    'cordons a node that is borrowed by its name only',
    'PATCH /api/v1/nodes/res-in-name-only',
    { spec: { unschedulable: true } },
  ),
  attempt('has a node of the cluster count as borrowed', 'PATCH /api/v1/nodes/worker-1', {
    metadata: { labels: { 'liqo.io/type': 'virtual-node' } },
  }),
  attempt('labels a borrowed node', 'PATCH /api/v1/nodes/res-rsv-1', {
    metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } },
  }),
  attempt('taints a borrowed node', 'PATCH /api/v1/nodes/res-rsv-1', {
    spec: { taints: [{ key: 'mine', effect: 'NoExecute' }] },
  }),
  attempt('has a borrowed node collected as garbage', 'PATCH /api/v1/nodes/res-rsv-1', OWNER_GONE),
  attempt('deletes a node of the cluster', 'DELETE /api/v1/nodes/worker-1'),
  attempt('writes the status of a node', 'PATCH /api/v1/nodes/worker-1/status', {
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.9' }] },
  }),
]

const labels = { app: 'mine' }
const template = { metadata: { labels }, spec: { containers: [container] } }

const workloads: readonly Attempt[] = [
  ...['Deployment', 'DaemonSet'].map((kind) =>
    attempt(
      `runs pods by way of a ${kind}`,
      `POST /apis/apps/v1/namespaces/${OWN}/${kind.toLowerCase()}s`,
      object(
        'apps/v1',
        kind,
        { name: 'mine', namespace: OWN },
        { spec: { selector: { matchLabels: labels }, template } },
      ),
    ),
  ),
  attempt(
    'runs pods by way of a Job',
    `POST /apis/batch/v1/namespaces/${OWN}/jobs`,
    object(
      'batch/v1',
      'Job',
      { name: 'mine', namespace: OWN },
      { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    ),
  ),
]

export const attemptsOnPods: readonly Attempt[] = [...pods, ...nodes, ...workloads]
