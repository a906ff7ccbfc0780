import { expect, it } from 'vitest'
import { isGpu } from './resource-name.ts'

it.each(['nvidia.com/gpu', 'amd.com/gpu', 'nvidia.com/mig-1g.5gb', 'gpu.intel.com/i915'])(
  '%s is a GPU',
  (name) => {
    expect(isGpu(name)).toBe(true)
  },
)

it.each(['gpu', 'cpu', 'nvidia.com/gpu.shared', 'example.com/gpu', 'constructor'])(
  '%s is no GPU',
  (name) => {
    expect(isGpu(name)).toBe(false)
  },
)
