import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Test = { fullName: string; status: string; failureMessages: readonly string[] }
type Results = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: readonly { assertionResults: readonly Test[] }[]
}

/**
 * Over all the result files that the test runner left in a folder: who needed a second try, and
 * `N passed, N failed`.
 */
const folder = process.argv[2] ?? '.'
const totals = { passed: 0, failed: 0, skipped: 0 }
const secondTries: Test[] = []
for (const name of readdirSync(folder)) {
  // Written by the test runner a moment ago.
  const results = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Results
  totals.passed += results.numPassedTests
  totals.failed += results.numFailedTests
  totals.skipped += results.numPendingTests
  secondTries.push(...results.testResults.flatMap(passedAfterFailing))
}
for (const { fullName, failureMessages } of secondTries)
  console.log(`needed a second try: ${fullName}\n  ${failureMessages[0]?.split('\n')[0]}`)
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`)

function passedAfterFailing(file: Results['testResults'][number]): readonly Test[] {
  return file.assertionResults.filter(
    ({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0,
  )
}
