import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `make check` and `make test`: every stage runs, also after one that failed, and the last line
 * adds up all of them. A stage that fails without naming a test counts as one failed test.
 */
type Stage = Readonly<{ name: string; command: string }>
type Results = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: { name: string; status: string; message?: string; assertionResults: Test[] }[]
}
type Test = { fullName: string; status: string; failureMessages?: string[] }

const check: readonly Stage[] = [
  { name: 'types', command: 'tsc -p .' },
  { name: 'types of the page', command: 'tsc -p apps/dashboard' },
  { name: 'lint', command: 'biome check --error-on-warnings .' },
  { name: 'unused code', command: 'knip --no-progress --exclude types' },
  { name: 'manifests', command: 'node packages/contract/scripts/write-manifests.ts --check' },
  { name: 'unit tests', command: 'vitest run --project unit' },
]
const everything: readonly Stage[] = [
  { name: 'Debian packages', command: 'make packages' },
  ...check,
  { name: 'live page', command: 'make page' },
  { name: 'Kubernetes and Liqo', command: 'make tools' },
  { name: 'Helm', command: 'make helm' },
  { name: 'Schemathesis', command: 'make schemathesis' },
  { name: 'journeys', command: 'vitest run --project journeys' },
  { name: 'cluster tests', command: 'vitest run --project cluster' },
]

const results = mkdtempSync(join(tmpdir(), 'bourse-test-results-'))
process.exitCode = main(process.argv[2] === 'check' ? check : everything)
rmSync(results, { recursive: true, force: true })

function main(stages: readonly Stage[]): number {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const broken: string[] = []
  const failures: string[] = []
  for (const { name, command } of stages) {
    console.log(`\n== ${name}: ${command}`)
    const { status } = spawnSync(command, {
      shell: true,
      stdio: 'inherit',
      env: { ...process.env, TEST_RESULTS: results },
    })
    const found = takeResults()
    total.passed += found.passed
    total.failed += status !== 0 && found.failed === 0 ? 1 : found.failed
    total.skipped += found.skipped
    failures.push(...found.failures)
    if (status !== 0) broken.push(name)
  }
  if (broken.length > 0) console.log(`\nFailed: ${[broken.join(', '), ...failures].join('\n\n')}`)
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`)
  return broken.length > 0 ? 1 : 0
}

/** What the stage's test runner wrote, read once. */
function takeResults() {
  const found = { passed: 0, failed: 0, skipped: 0, failures: [] as string[] }
  for (const name of readdirSync(results)) {
    const path = join(results, name)
    // Written by the test runner a moment ago.
    const written = JSON.parse(readFileSync(path, 'utf8')) as Results
    found.passed += written.numPassedTests
    found.failed += written.numFailedTests
    found.skipped += written.numPendingTests
    found.failures.push(...written.testResults.flatMap(failuresOf))
    rmSync(path)
  }
  return found
}

/** What failed in one file, with its reason: the end of a long log is often all that is kept of it. */
function failuresOf(file: Results['testResults'][number]): string[] {
  const failed = file.assertionResults.filter((test) => test.status === 'failed')
  if (failed.length === 0) return file.status === 'failed' ? [`${file.name}\n${file.message}`] : []
  return failed.map((test) =>
    [`${file.name}: ${test.fullName}`, ...(test.failureMessages ?? [])].join('\n'),
  )
}
