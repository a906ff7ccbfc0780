import { describe, expect, it } from 'vitest'
import { type ConnectionLimits, knownCallerLimits, openPortLimits } from './limits.ts'
import { type Activity, createOpenConnections } from './open-connections.ts'

type Scripted = { caller: string; name: string; activity(): Activity }

function aPort(limits: Partial<ConnectionLimits>) {
  const dropped: string[] = []
  const open = createOpenConnections<Scripted>({
    limits: { ...knownCallerLimits, openMax: 100, ...limits },
    drop: ({ name }, reason) => void dropped.push(`${name} ${reason}`),
  })
  let count = 0
  function enter(caller: string, activity: Activity = 'idle') {
    count += 1
    return open.enter({ caller, name: `${caller}${count}`, activity: () => activity })
  }
  return { ...open, enter, dropped }
}

describe('a port where callers are known, and that is full', () => {
  it('refuses the newcomer when no caller holds more than it does', () => {
    const { enter, dropped, count } = aPort({ openMax: 2 })
    enter('rome')
    enter('paris')

    expect(enter('oslo')).toBe('full')
    expect(dropped).toEqual([])
    expect(count()).toBe(2)
  })

  it('lets it in for an idle connection of the caller that holds most', () => {
    const { enter, dropped } = aPort({ openMax: 4 })
    enter('paris')
    enter('rome', 'asked')
    enter('rome')
    enter('rome')

    expect(enter('oslo')).toBeUndefined()
    expect(dropped).toEqual(['rome3 room'])
  })

  it('takes one that waits for its answer if none is idle, and never one that is answered', () => {
    const { enter, dropped } = aPort({ openMax: 3 })
    enter('rome', 'answering')
    enter('rome', 'asked')
    enter('rome', 'answering')

    const oslo = enter('oslo')
    const oslo2 = enter('oslo', 'answering')

    expect([oslo, oslo2]).toEqual([undefined, undefined])
    expect(dropped).toEqual(['rome2 room', 'oslo4 room'])
  })

  it('lets a caller replace what it holds itself', () => {
    const { enter, dropped, count } = aPort({ openMax: 1 })
    enter('rome')

    expect(enter('rome')).toBeUndefined()
    expect(dropped).toEqual(['rome1 room'])
    expect(count()).toBe(1)
  })

  it('has room again when one has left, once', () => {
    const { enter, leave, all, count } = aPort({ openMax: 2 })
    enter('rome')
    enter('paris')
    const [first] = all()
    if (first) leave(first)
    if (first) leave(first)

    expect(enter('oslo')).toBeUndefined()
    expect(count()).toBe(2)
  })
})

describe('one caller', () => {
  it('has no more than its number: its own oldest idle connection goes', () => {
    const { enter, dropped } = aPort({ openPerCallerMax: 2 })
    enter('rome', 'answering')
    enter('rome')

    expect(enter('rome')).toBeUndefined()
    expect(dropped).toEqual(['rome2 caller'])
  })

  it('is refused when all of them are at work', () => {
    const { enter } = aPort({ openPerCallerMax: 1 })
    enter('rome', 'answering')

    expect(enter('rome')).toBe('caller')
    expect(enter('paris')).toBeUndefined()
  })
})

describe('a port for any client that is full', () => {
  it('always has room for a newcomer while a client is idle, streams stay', () => {
    const { enter, dropped } = aPort({ ...openPortLimits, openMax: 3 })
    enter('10.0.0.1', 'answering')
    enter('10.0.0.2')
    enter('10.0.0.3')

    expect(enter('10.0.0.4')).toBeUndefined()
    expect(dropped).toEqual(['10.0.0.22 room'])
  })
})
