import { keep } from './corpus.ts'
import { addCounts, table } from './coverage.ts'
import { shapeOf } from './parts/shape.ts'
import { reportOf } from './report.ts'
import { ledgerStory } from './stories/ledger.ts'

/**
 * `make simulate`: stories without end, or for so many seconds, or so many of them. A story that
 * fails is told again, as short as it gets, and kept in the corpus if asked to.
 */
const seconds = Number(process.env.SECONDS || Number.POSITIVE_INFINITY)
const stories = Number(process.env.STORIES || Number.POSITIVE_INFINITY)
const length = Number(process.env.LENGTH || 2_000)
const first = Number(process.env.SEED || Math.floor(Math.random() * 2 ** 31))
const failuresMax = Number(process.env.FAILURES || Number.POSITIVE_INFINITY)
const isKept = Boolean(process.env.KEEP)

const counts = new Map<string, number>()
const began = performance.now()
const spent = () => (performance.now() - began) / 1_000
let steps = 0
let failures = 0
let seed = first
for (; spent() < seconds && seed < first + stories && failures < failuresMax; seed++) {
  const told = ledgerStory(seed, length)
  steps += told.steps.length
  addCounts(counts, told.counts)
  if (!told.finding) continue
  failures++
  const { text, shape, told: shortest } = reportOf(seed, shapeOf(seed), told)
  console.log(`\n${text}`)
  const found = shortest.finding?.broken ?? ''
  if (isKept)
    console.log(
      `Kept as ${keep({ name: `ledger-${seed}`, found, seed, shape, steps: shortest.steps })}`,
    )
}
console.log(`\n${table(counts)}`)
console.log(
  `Seeds ${first} to ${seed - 1}: ${steps} steps, ${failures} stories failed, ${Math.round(steps / spent())} steps a second`,
)
process.exitCode = failures > 0 ? 1 : 0
