type Amounts = Record<string, string>
type Chance = {
  between(min: number, max: number): number
  pick<T>(from: readonly T[]): T | undefined
}

/** A seventh of a GPU, as NVIDIA's device plugin names it. */
export const MIG = 'nvidia.com/mig-1g.5gb'

const IMAGE = 'example.org/idle'
/** A runtime that takes something for itself; the API server adds it to each of its pods. */
export const RUNTIME = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'boxed' },
  handler: 'boxed',
  overhead: { podFixed: { cpu: '120m', memory: '70Mi' } },
}

/** Pods of every make that the scheduler counts differently. */
export function randomPods(chance: Chance, count: number) {
  return Array.from({ length: count }, (_, at) => randomPod(chance, `random-${at}`))
}

function randomPod(chance: Chance, name: string) {
  const containers = several(chance, 1, 3, (at) => container(chance, `c${at}`))
  const initContainers = several(chance, 0, 3, (at) => ({
    ...container(chance, `i${at}`),
    ...(chance.between(0, 1) === 1 ? { restartPolicy: 'Always' } : {}),
  }))
  // Larger than any sum of its containers, as the API server demands.
  const resources = { requests: { cpu: `${chance.between(9_000, 9_900)}m`, memory: '9Gi' } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      containers,
      initContainers,
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }],
      ...(chance.between(0, 4) === 0 ? { runtimeClassName: RUNTIME.metadata.name } : {}),
      ...(chance.between(0, 7) === 0 ? { resources } : {}),
    },
  }
}

function container(chance: Chance, name: string) {
  const requests: Amounts = {}
  if (chance.between(0, 3) > 0) requests.cpu = `${chance.between(1, 1_200)}m`
  if (chance.between(0, 3) > 0) requests.memory = randomBytes(chance)
  if (chance.between(0, 4) === 0) requests['ephemeral-storage'] = `${chance.between(1, 900)}M`
  const limits: Amounts = {}
  if (chance.between(0, 6) === 0) limits['nvidia.com/gpu'] = `${chance.between(1, 2)}`
  if (chance.between(0, 9) === 0) limits['amd.com/gpu'] = '1'
  if (chance.between(0, 9) === 0) limits[MIG] = `${chance.between(1, 3)}`
  return { name, image: IMAGE, resources: { requests, limits } }
}

/** Also thousandths of a byte: they are legal, and rounded only in the pod's sum. */
function randomBytes(chance: Chance): string {
  const suffix = chance.pick(['Mi', 'Mi', 'Mi', 'M', 'Ki', 'm']) ?? 'Mi'
  return `${chance.between(1, 1_000)}${suffix}`
}

function several<T>(chance: Chance, min: number, max: number, make: (at: number) => T): T[] {
  return Array.from({ length: chance.between(min, max) }, (_, at) => make(at))
}
