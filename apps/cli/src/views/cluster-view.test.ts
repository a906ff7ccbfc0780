import type { Advertisement } from '@bourse/contract'
import { expect, it } from 'vitest'
import { createPaint } from '../terminal/colours.ts'
import { clustersView, clusterView } from './cluster-view.ts'

const look = { paint: createPaint(false), isWide: false, now: Date.parse('2026-11-15T12:00:30Z') }

const paris: Advertisement = {
  clusterID: 'paris',
  clusterName: 'paris',
  resources: {
    capacity: { cpu: '10' },
    allocatable: { cpu: '10' },
    allocated: { cpu: '0' },
    reserved: { cpu: '0' },
    available: { cpu: '10' },
  },
  timestamp: '2026-11-15T12:00:00Z',
  status: {
    phase: 'Active',
    accepting: 'open',
    score: '100.00',
    band: 'excellent',
    overcommitted: false,
    liveReservations: 0,
    lastSeenAt: '2026-11-15T12:00:00Z',
    changedAt: '2026-11-15T12:00:00Z',
  },
}

it('shows the most that one node has free: ten with one CPU are not one with ten', () => {
  expect(tableOf(clusterView({ ...paris, largestFit: { cpu: '1' } })(look))).toEqual([
    'RESOURCE  CAPACITY  ALLOCATABLE  ALLOCATED  RESERVED  AVAILABLE  ON ONE NODE',
    'cpu             10           10          0         0         10            1',
  ])
})

it('has no such column for a cluster that does not say', () => {
  expect(tableOf(clusterView(paris)(look))[0]).not.toContain('ON ONE NODE')
})

it('writes amounts as the list of clusters does', () => {
  const memory = { capacity: { memory: '3Ti' }, allocatable: { memory: '3166593487992' } }
  const rest = { allocated: {}, reserved: { memory: '0' }, available: { memory: '1847179534688' } }

  expect(tableOf(clusterView({ ...paris, resources: { ...memory, ...rest } })(look))[1]).toMatch(
    /^memory +3Ti +2\.87Ti +0 +0 +1\.68Ti$/,
  )
})

it('calls resources what people call them', () => {
  const own = { 'nvidia.com/gpu': '2' }
  const resources = { ...paris.resources, allocatable: own, reserved: own }

  expect(tableOf(clusterView({ ...paris, resources })(look))[1]).toMatch(/^gpu /)
  expect(clustersView([{ ...paris, resources }])({ ...look, isWide: true })).toContain('2 gpu')
})

it('says what each price is for', () => {
  const cost = { cpuCost: '0.048', gpuCost: '1.95', currency: 'USD' }

  expect(clusterView({ ...paris, cost })(look)).toMatch(
    /^Prices +0\.048 a CPU, 1\.95 a GPU \(USD an hour\)$/m,
  )
})

it('says so where prices do not count', () => {
  const cost = { cpuCost: '0.048', currency: 'EUR' }
  const unpriced = 'prices in EUR do not count: no rate to USD is known'
  const told = { ...paris, cost, status: { ...paris.status, unpriced } }

  expect(clusterView(told)(look)).toContain(`(EUR an hour); ${unpriced}`)
  expect(clustersView([told])(look)).toContain('unpriced')
})

it('has a column for each price, with the points under each other', () => {
  const costs = [{ cpuCost: '0.5' }, { cpuCost: '12.048', gpuCost: '1.95' }]
  const clusters = costs.map((cost) => ({ ...paris, cost: { ...cost, currency: 'EUR' } }))

  const [titles = '', ...rows] = clustersView(clusters)({ ...look, isWide: true }).split('\n')

  const at = titles.indexOf('CPU/H') - 1
  expect(rows.map((row) => row.slice(at, at + 6))).toEqual([' 0.5  ', '12.048'])
})

function tableOf(shown: string): string[] {
  const [, table = ''] = shown.split('\n\n')
  return table.split('\n')
}
