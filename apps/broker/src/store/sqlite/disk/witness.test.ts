import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWitness, readWitness } from './witness.ts'

let path = ''
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'bourse-witness-')), 'bourse.witness')
})
afterEach(() => rmSync(join(path, '..'), { recursive: true }))

it('remembers the newest note', () => {
  noteUpTo(7)

  expect(readWitness(path)).toEqual({ exists: true, damaged: [], newest: noteOf(7) })
})

it('is missing before the first note', () => {
  expect(readWitness(path)).toEqual({ exists: false, damaged: [] })
})

it.each([
  { name: 'a flipped bit', from: 0, to: 1 },
  { name: 'a torn write', from: 100, to: 256 },
])('names a slot with $name, and falls back to the other', ({ from, to }) => {
  noteUpTo(6)
  damage(from, to)

  expect(readWitness(path)).toEqual({ exists: true, damaged: [1], newest: noteOf(5) })
})

it('says so when both slots are damaged', () => {
  noteUpTo(6)
  damage(0, 512)

  expect(readWitness(path)).toEqual({ exists: true, damaged: [1, 2] })
})

function noteUpTo(commits: number): void {
  const witness = openWitness(path)
  for (let nth = 1; nth <= commits; nth++) witness.note(noteOf(nth))
  witness.close()
}

const noteOf = (commits: number) => ({ commits, index: commits - 1, hash: 'ab'.repeat(32) })

function damage(from: number, to: number): void {
  writeFileSync(path, readFileSync(path).fill('#', from, to))
}
