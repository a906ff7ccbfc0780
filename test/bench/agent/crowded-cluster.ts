import type { Items } from '@bourse/testkit/makeshift-api-server'

const REQUESTS = ['50m', '100m', '250m', '500m', '1'] as const

/** Nodes and pods as large as real ones, made when they are asked for. */
export function crowdedNodes(count: number): Items {
  return { length: count, at: aNode }
}

export function crowdedPods(count: number, nodes: number): Items {
  return { length: count, at: (index) => aCrowdedPod(index, nodes) }
}

function aNode(index: number) {
  const name = nodeName(index)
  const capacity = { cpu: '64', memory: '263856540Ki', 'ephemeral-storage': '1Ti', pods: '110' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { ...metadataOf(name, index), labels: { 'kubernetes.io/hostname': name } },
    spec: { podCIDR: `10.${index % 256}.0.0/24`, providerID: `example:///zone/${name}` },
    status: {
      capacity,
      allocatable: { ...capacity, cpu: '63770m' },
      conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
        ...conditionOf(type),
        status: type === 'Ready' ? 'True' : 'False',
      })),
      // Kubelets list fifty images; they are most of a node's size.
      images: Array.from({ length: 50 }, (_, at) => ({
        names: [`registry.example.org/team/image-${at}@sha256:${'0123456789abcdef'.repeat(4)}`],
        sizeBytes: 123_456_789 + at,
      })),
    },
  }
}

/** `turn` makes another version of the same pod, which asks for something else. */
export function aCrowdedPod(index: number, nodes: number, turn = 0) {
  const name = `web-${index % 997}-7d9c6b8f4-${index.toString(36)}`
  const cpu = REQUESTS[(index + turn) % REQUESTS.length]
  const containers = ['web', 'proxy'].map((container) => ({
    name: container,
    image: `registry.example.org/team/${container}:1.2.3`,
    env: Array.from({ length: 12 }, (_, at) => ({ name: `SETTING_${at}`, value: `value-${at}` })),
    resources: { requests: { cpu, memory: `${64 + (index % 8) * 32}Mi` } },
    volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
  }))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadataOf(name, index),
      namespace: `team-${index % 50}`,
      labels: { app: `web-${index % 997}`, 'pod-template-hash': '7d9c6b8f4' },
    },
    spec: { nodeName: nodeName(index % nodes), containers },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(conditionOf),
      containerStatuses: containers.map(({ name: container, image, resources }) => ({
        name: container,
        image,
        resources,
        ready: true,
        restartCount: turn,
        containerID: `containerd://${'0123456789abcdef'.repeat(4)}`,
      })),
    },
  }
}

function metadataOf(name: string, index: number) {
  const fields = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`f:field-${at}`, { 'k:{"type":"x"}': { '.': {} } }]),
  )
  return {
    name,
    uid: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [{ manager: 'kubelet', operation: 'Update', fieldsV1: fields }],
  }
}

function conditionOf(type: string) {
  const at = '2026-01-01T00:00:00Z'
  return { type, status: 'True', lastProbeTime: null, lastTransitionTime: at, reason: 'AsUsual' }
}

const nodeName = (index: number) => `node-${index}.eu-west-1.example.org`
