import { describe, expect, it } from 'vitest'
import { Mark } from './board.ts'
import { createBoard } from './create-board.ts'

const facts = { marks: 0, liveCount: 0, allocatable: { cpu: 8n }, available: { cpu: 4n } }

describe('the board', () => {
  it('lays out a column for a resource that some cluster has, and none for others', () => {
    const board = createBoard()

    const slot = board.place('paris', facts)

    expect(board.column('cpu')?.unitShare[slot]).toBe(1 / 8)
    expect(board.column('cpu')?.available[slot]).toBe(4)
    expect(board.column('pods')).toBeUndefined()
    expect(board.column('constructor')).toBeUndefined()
  })

  it('keeps its columns in step with later changes', () => {
    const board = createBoard()
    const slot = board.place('paris', facts)
    board.column('cpu')

    board.place('paris', { ...facts, marks: Mark.stale })
    board.setHolding(slot, { available: { cpu: -1n }, liveCount: 7 })
    const rome = board.place('rome', { ...facts, cost: { cpu: 5n } })

    expect(board.column('cpu')?.available.slice(0, 2)).toEqual(Float64Array.of(-1, 4))
    expect(board.exact(slot)).toEqual({ allocatable: { cpu: 8n }, available: { cpu: -1n } })
    expect(board.liveCounts[slot]).toBe(7)
    expect(board.marks[slot]).toBe(Mark.stale)
    expect(board.known[slot]).toBe(0)
    expect(board.measure('cpu-price').values[rome]).toBe(5)
  })

  it('learns a resource that first appears after it was asked for', () => {
    const board = createBoard()
    board.place('paris', facts)
    board.column('pods')

    board.place('paris', { ...facts, allocatable: { pods: 1n }, available: { pods: 1n } })

    expect(board.column('pods')?.available[0]).toBe(1)
  })

  it('gives the slot of a removed cluster to the next one, without a trace of the former', () => {
    const board = createBoard()
    const slot = board.place('paris', { ...facts, cost: { cpu: 5n } })
    board.column('cpu')

    board.remove('paris')
    board.remove('oslo')

    expect(board.marks[slot]).toBe(Mark.absent)
    expect(board.slotOf('paris')).toBeUndefined()
    expect(board.place('rome', { ...facts, available: {} })).toBe(slot)
    expect(board.column('cpu')?.available[slot]).toBe(0)
    expect(board.measure('cpu-price')).toMatchObject({ knownCount: 0 })
    expect(board.count).toBe(1)
  })

  it('grows with the clusters and keeps what it knew', () => {
    const board = createBoard()
    board.place('first', facts)
    board.column('cpu')

    for (let at = 0; at < 200; at += 1) board.place(`cluster-${at}`, facts)

    expect(board.count).toBe(201)
    expect(board.column('cpu')?.available[0]).toBe(4)
    expect(board.column('cpu')?.available[200]).toBe(4)
  })

  it('holds no more than 64 columns, however many resources are asked for', () => {
    const names = Array.from({ length: 100 }, (_, at) => `a.com/r${at}`)
    const all = Object.fromEntries(names.map((name) => [name, 3n]))
    const board = createBoard()
    board.place('paris', { ...facts, allocatable: all, available: all })
    const first = board.column('a.com/r0')

    for (const name of names.slice(1)) board.column(name)

    expect(board.column('a.com/r0')).not.toBe(first)
    expect(board.column('a.com/r0')).toEqual(first)
  })
})
