import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { watchList } from './watch-list.ts'

const POLL_MS = 10
let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bourse-list-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

describe('watchList', () => {
  it('keeps a list that was written out', () => {
    const list = watchList({ kind: 'list', items: ['rome'] })

    expect([...list.current()]).toEqual(['rome'])
  })

  it('follows its file, and keeps the last good list when the file goes bad', async () => {
    const path = join(dir, 'denied')
    writeFileSync(path, 'rome # since the incident\noslo\n')
    const changed = Promise.withResolvers<ReadonlySet<string>>()
    const troubled = Promise.withResolvers<string>()
    const list = watchList(
      { kind: 'file', path },
      { onChange: changed.resolve, onTrouble: troubled.resolve, pollMs: POLL_MS },
    )
    expect([...list.current()]).toEqual(['rome', 'oslo'])

    writeFileSync(path, 'rome,paris,bonn\n')
    await changed.promise
    writeFileSync(path, 'Not A Cluster\n')
    const trouble = await troubled.promise

    expect([...list.current()]).toEqual(['rome', 'paris', 'bonn'])
    expect(trouble).toBe(`${path} has "Not A Cluster", which is not a valid cluster id.`)
    list.close()
  })

  it('refuses to start on a bad file', () => {
    const path = join(dir, 'bad')
    writeFileSync(path, 'a_b\n')

    expect(() => watchList({ kind: 'file', path })).toThrow(
      '"a_b", which is not a valid cluster id',
    )
  })
})
