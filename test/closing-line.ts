import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Results = { numPassedTests: number; numFailedTests: number; numPendingTests: number }

/** `N passed, N failed` over all the result files that the test runner left in a folder. */
const folder = process.argv[2] ?? '.'
const totals = { passed: 0, failed: 0, skipped: 0 }
for (const name of readdirSync(folder)) {
  // Written by the test runner a moment ago.
  const results = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Results
  totals.passed += results.numPassedTests
  totals.failed += results.numFailedTests
  totals.skipped += results.numPendingTests
}
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`)
