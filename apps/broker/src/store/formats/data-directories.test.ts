import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contentsOf } from '../../../fixtures/store/formats/contents.ts'
import { openBatch, sealBatch } from '../codec/batch.ts'
import { decodeDecision, decodeEnded, encodeDecision, encodeEnded } from '../codec/history-codec.ts'
import { createPartDecoder, encodePart } from '../codec/image-codec.ts'
import type { SealedBatch } from '../port/journal.ts'
import { openReading } from '../sqlite/store-reading.ts'

const here = import.meta.dirname
const written = readdirSync(here, { withFileTypes: true }).filter((one) => one.isDirectory())

describe.each(written.map(({ name }) => name))('a data directory of %s', (name) => {
  let dataDir = ''
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'bourse-format-'))
    cpSync(join(here, name), dataDir, { recursive: true })
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  it('opens, and has in it exactly what is listed beside it', async () => {
    const listed = readFileSync(join(here, name, 'contents.jsonl'), 'utf8')

    expect(linesOf(await contentsOf(dataDir))).toEqual(linesOf(listed))
  })

  it('is written in the same bytes again, so that its own version can still read them', () => {
    const { found, again } = rewritten(dataDir)

    expect(again.map(readable)).toEqual(found.map(readable))
    expect(found.length).toBeGreaterThan(40)
  })
})

/** Every text in a directory, and what this version writes of what it has read there. */
function rewritten(dataDir: string) {
  const reading = openReading(dataDir)
  const batches = [...reading.batches(reading.state.floor.index + 1)]
  const chunks = reading.snapshots.flatMap((one) => [...reading.chunks(one)])
  const textsOf = (name: 'ended' | 'decisions') =>
    Array.from(reading.rows(name), ({ text }) => String(text))
  const [ended, decisions] = [textsOf('ended'), textsOf('decisions')]
  reading.close()
  return {
    found: [...batches.map(({ text }) => text), ...chunks, ...ended, ...decisions],
    again: [
      ...batches.map(resealed),
      ...chunks.map(createPartDecoder()).map(encodePart),
      ...ended.map((text) => encodeEnded(decodeEnded(text))),
      ...decisions.map((text) => encodeDecision(decodeDecision(text))),
    ],
  }
}

function resealed(sealed: SealedBatch): string {
  const { index, previous } = sealed
  return sealBatch({ ...openBatch(sealed, { index: index - 1, hash: previous }), previous }).text
}

/** The members of an advertisement come in any order. */
function readable(text: string): unknown {
  return text.includes('"advertisement"') ? text.split('\n').map((one) => JSON.parse(one)) : text
}

const linesOf = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
