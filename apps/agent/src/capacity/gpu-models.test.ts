import { expect, it } from 'vitest'
import { gpuModelsOf } from './gpu-models.ts'

it.each([
  {
    name: 'NVIDIA by its own discovery',
    labels: { 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB' },
    allocatable: { cpu: 8_000n, 'nvidia.com/gpu': 8n },
    models: [{ model: 'NVIDIA-A100-SXM4-40GB', count: 8 }],
  },
  {
    name: 'slices of a GPU together, of every size',
    labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100' },
    allocatable: { 'nvidia.com/mig-1g.10gb': 4n, 'nvidia.com/mig-3g.40gb': 1n },
    models: [{ model: 'NVIDIA-H100', count: 5 }],
  },
  {
    name: "a cloud's label only where the maker's is missing",
    labels: { 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'nvidia.com/gpu.product': 'L4' },
    allocatable: { 'nvidia.com/gpu': 1n },
    models: [{ model: 'L4', count: 1 }],
  },
  {
    name: "a cloud's label alone",
    labels: { 'cloud.google.com/gke-accelerator': 'nvidia-l4' },
    allocatable: { 'nvidia.com/gpu': 1n },
    models: [{ model: 'nvidia-l4', count: 1 }],
  },
  {
    name: 'two makers in one node',
    labels: { 'amd.com/gpu.product-name': 'MI300X', 'gpu.intel.com/product': 'Flex_170' },
    allocatable: { 'amd.com/gpu': 2n, 'gpu.intel.com/i915': 1n, 'gpu.intel.com/tiles': 4n },
    models: [
      { model: 'MI300X', count: 2 },
      { model: 'Flex_170', count: 1 },
    ],
  },
  {
    name: 'no model without a GPU to lend',
    labels: { 'nvidia.com/gpu.product': 'T4' },
    allocatable: { cpu: 8_000n, 'nvidia.com/gpu': 0n },
    models: [],
  },
  {
    name: 'no model of a GPU that no label names',
    labels: {},
    allocatable: { 'nvidia.com/gpu': 8n },
    models: [],
  },
])('tells $name', ({ labels, allocatable, models }) => {
  expect(gpuModelsOf(labels, allocatable)).toEqual(models)
})
