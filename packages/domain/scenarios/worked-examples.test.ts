import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createBoard, createPlacement, defaultPolicy } from '../src/placement/index.ts'
import { whySentence } from '../src/placement/why-sentence.ts'
import { formatMoney, parseMoney, parseResources } from '../src/quantity/index.ts'

const page = readFileSync(new URL('../../../docs/scoring.md', import.meta.url), 'utf8')
const examples = page.split('\n## ').filter((section) => section.includes('\nWanted: '))

it('has two worked examples', () => {
  expect(examples).toHaveLength(2)
})

describe.each(examples.map((text) => ({ title: text.split('\n')[0], text })))(
  'docs/scoring.md, $title',
  ({ text }) => {
    const rows = text
      .split('\n')
      .filter((line) => /^\| [a-z]+ \| .*=/.test(line))
      .map((line) => line.split('|').map((cell) => cell.trim()))
    const [, wanted = ''] = /\nWanted: (.+)/.exec(text) ?? []
    const [, sentence] = /\n> (.+)/.exec(text) ?? []
    const ranking = createPlacement(defaultPolicy).rank(boardOf(rows), {
      requester: 'rome',
      wanted: amounts(wanted),
    })

    it('ranks as the table says, to the last digit', () => {
      const computed = ranking.rows.map(({ clusterId, pricePerHour, scored }) => [
        clusterId,
        pricePerHour === undefined ? 'none' : formatMoney(pricePerHour),
        String(scored?.parts.resources),
        String(scored?.parts.cost),
        scored?.score.toFixed(2),
      ])

      const written = rows.map((cells) => [cells[1], cells[5], cells[6], cells[7], cells[8]])
      expect(written).toEqual(computed)
    })

    it('says why in the broker’s words', () => {
      const candidates = ranking.rows.flatMap(({ scored, pricePerHour }) =>
        scored ? [{ scored, pricePerHour }] : [],
      )

      expect(sentence).toBe(whySentence(ranking.policy, candidates))
    })
  },
)

function boardOf(rows: readonly (readonly string[])[]) {
  const board = createBoard()
  for (const [, clusterId = '', allocatable = '', available = '', prices = ''] of rows)
    board.place(clusterId, {
      marks: 0,
      liveCount: 0,
      allocatable: amounts(allocatable),
      available: amounts(available),
      ...(prices !== 'none' && { cost: pricesIn(prices) }),
    })
  return board
}

function amounts(text: string) {
  const parsed = parseResources(Object.fromEntries(pairsIn(text)), 'supply')
  if (parsed.kind !== 'ok') throw new Error(`docs/scoring.md: ${text}`)
  return parsed.resources
}

function pricesIn(text: string) {
  return Object.fromEntries(
    pairsIn(text).map(([name, price]) => {
      const parsed = parseMoney(price)
      if (parsed.kind === 'bad') throw new Error(`docs/scoring.md: ${parsed.reason}`)
      return [name, parsed.money]
    }),
  )
}

/** Of `cpu=4 memory=8Gi`. */
function pairsIn(text: string): [name: string, value: string][] {
  return text.split(' ').map((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return [name, value]
  })
}
