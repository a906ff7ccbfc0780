/** A pool of like nodes, as a cloud or a machine room would have them. */
export type NodePool = Readonly<{
  count: number
  cpu: number
  memoryGi: number
  gpus?: number
}>

export type City = Readonly<{
  clusterId: string
  name: string
  location: string
  /** As the agent's flag takes them. */
  labels?: string
  pools: readonly NodePool[]
  /** How busy it is on its own account, and how far that swings. */
  load: Readonly<{ usual: number; swing: number }>
  /** USD per core-hour, GiB-hour and GPU-hour. */
  price: Readonly<{ cpu: string; memory: string; gpu?: string }>
  /** Whether its numbers may be seen by other tenants. */
  isOpen?: true
}>

export const cities: readonly City[] = [
  {
    clusterId: 'rome',
    name: 'Rome campus',
    location: 'eu-south',
    pools: [{ count: 6, cpu: 16, memoryGi: 64 }],
    load: { usual: 0.72, swing: 0.08 },
    price: { cpu: '0.041', memory: '0.0052' },
    isOpen: true,
  },
  {
    clusterId: 'paris',
    name: 'Paris AI',
    location: 'eu-west',
    labels: 'tier=gold,power=nuclear',
    pools: [
      { count: 8, cpu: 32, memoryGi: 128 },
      { count: 4, cpu: 64, memoryGi: 512, gpus: 8 },
    ],
    load: { usual: 0.45, swing: 0.1 },
    price: { cpu: '0.048', memory: '0.0060', gpu: '1.95' },
    isOpen: true,
  },
  {
    clusterId: 'berlin',
    name: 'Berlin HPC',
    location: 'eu-central',
    pools: [
      { count: 12, cpu: 48, memoryGi: 192 },
      { count: 6, cpu: 96, memoryGi: 1024, gpus: 4 },
    ],
    load: { usual: 0.6, swing: 0.12 },
    price: { cpu: '0.039', memory: '0.0049', gpu: '2.40' },
  },
  {
    clusterId: 'oslo',
    name: 'Oslo hydro',
    location: 'eu-north',
    labels: 'tier=silver,power=hydro',
    pools: [{ count: 20, cpu: 32, memoryGi: 128 }],
    load: { usual: 0.35, swing: 0.1 },
    price: { cpu: '0.024', memory: '0.0031' },
    isOpen: true,
  },
  {
    clusterId: 'madrid',
    name: 'Madrid retail',
    location: 'eu-south',
    pools: [{ count: 10, cpu: 16, memoryGi: 64 }],
    load: { usual: 0.55, swing: 0.2 },
    price: { cpu: '0.033', memory: '0.0042' },
  },
  {
    clusterId: 'vienna',
    name: 'Vienna in-memory',
    location: 'eu-central',
    pools: [{ count: 4, cpu: 64, memoryGi: 2048 }],
    load: { usual: 0.5, swing: 0.08 },
    price: { cpu: '0.052', memory: '0.0028' },
  },
  {
    clusterId: 'lisbon',
    name: 'Lisbon edge',
    location: 'eu-west',
    pools: [{ count: 3, cpu: 8, memoryGi: 32, gpus: 1 }],
    load: { usual: 0.4, swing: 0.15 },
    price: { cpu: '0.030', memory: '0.0040', gpu: '0.90' },
  },
  {
    clusterId: 'athens',
    name: 'Athens lab',
    location: 'eu-south',
    pools: [{ count: 2, cpu: 8, memoryGi: 32 }],
    load: { usual: 0.8, swing: 0.1 },
    price: { cpu: '0.045', memory: '0.0055' },
  },
]
