const WHOLE_GPUS: ReadonlySet<string> = new Set(['nvidia.com/gpu', 'amd.com/gpu'])
const GPU_FAMILIES = ['nvidia.com/mig-', 'gpu.intel.com/'] as const

/** Whether a piece of this resource is a GPU, or a slice of one that is sold as one. */
export function isGpu(name: string): boolean {
  return WHOLE_GPUS.has(name) || GPU_FAMILIES.some((family) => name.startsWith(family))
}
