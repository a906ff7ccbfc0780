import { amountOf, isGpu, type Resources } from '@bourse/domain/quantity'

type ModelLabel = Readonly<{ label: string; isOfIt(resource: string): boolean }>

const isNvidia = (name: string) => name.startsWith('nvidia.com/') && isGpu(name)
const isAmd = (name: string) => name === 'amd.com/gpu'
/** Intel's plugin also lists tiles, memory and monitoring under its name; these two are cards. */
const isIntel = (name: string) => name === 'gpu.intel.com/i915' || name === 'gpu.intel.com/xe'

/** The makers' own discovery first, then what clouds write when it is not installed. */
const MODEL_LABELS: readonly ModelLabel[] = [
  { label: 'nvidia.com/gpu.product', isOfIt: isNvidia },
  { label: 'amd.com/gpu.product-name', isOfIt: isAmd },
  { label: 'gpu.intel.com/product', isOfIt: isIntel },
  { label: 'cloud.google.com/gke-accelerator', isOfIt: isNvidia },
  { label: 'karpenter.k8s.aws/instance-gpu-name', isOfIt: isNvidia },
  { label: 'k8s.amazonaws.com/accelerator', isOfIt: isNvidia },
]

export type GpuModel = Readonly<{ model: string; count: number }>

/** The models of a node's GPUs, and how many it lends out of each. */
export function gpuModelsOf(
  labels: Readonly<Record<string, string>>,
  allocatable: Resources,
): readonly GpuModel[] {
  const named = new Set<string>()
  const models: GpuModel[] = []
  for (const { label, isOfIt } of MODEL_LABELS) {
    const model = labels[label]
    if (!model) continue
    const gpus = Object.keys(allocatable).filter((name) => isOfIt(name) && !named.has(name))
    const count = gpus.reduce((total, name) => total + Number(amountOf(allocatable, name)), 0)
    for (const name of gpus) named.add(name)
    if (count > 0) models.push({ model, count })
  }
  return models
}
