import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

// CI adds up the results of all runs for its closing line.
const results = process.env.TEST_RESULTS

/** Tests that run on a real control plane, wherever they are: they need `make tools`. */
const CLUSTER_TESTS = '**/*.cluster.test.ts'

// A third of the time they wait, for processes to start and for leases and drains to run out: three
// files at a time keep two cores busy, more would only time each other out.
const realProcesses = {
  maxWorkers: 3,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    // Isolation costs ten times the run time, and our modules keep no state of their own.
    pool: 'threads',
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A condition is waited for: on a busy machine a second says nothing about it.
    expect: { poll: { timeout: 30_000 } },
    reporters: results
      ? ['default', ['json', { outputFile: join(results, `${process.pid}.json`) }]]
      : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // More than there are cores: tests wait for processes, disks and clocks often enough.
          maxWorkers: 3,
          include: [
            'packages/**/*.test.ts',
            'apps/**/*.test.{ts,tsx}',
            'test/{simulation,tidy}/*.test.ts',
          ],
          exclude: ['**/node_modules/**', CLUSTER_TESTS, '**/*.journey.test.ts'],
          testTimeout: 40_000,
          hookTimeout: 40_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'journeys',
          include: ['test/journeys/**/*.test.ts', '**/*.journey.test.ts'],
          exclude: ['**/node_modules/**', CLUSTER_TESTS],
          ...realProcesses,
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: [`{apps,packages,test}/${CLUSTER_TESTS}`],
          exclude: ['**/node_modules/**'],
          ...realProcesses,
        },
      },
    ],
  },
})
