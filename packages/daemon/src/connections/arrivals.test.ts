import { describe, expect, it } from 'vitest'
import { createArrivals } from './arrivals.ts'
import { type ConnectionLimits, knownCallerLimits } from './limits.ts'

type Scripted = { address: string; arrivedAt: number; name: string }

/** A port where nothing happens by itself; turns of the event loop are taken by hand. */
function aPort(limits: Partial<ConnectionLimits> = {}) {
  const begun: string[] = []
  const dropped: string[] = []
  const turns: (() => void)[] = []
  const arrivals = createArrivals<Scripted>({
    limits: { ...knownCallerLimits, openMax: 100, ...limits },
    begin: ({ name }) => void begun.push(name),
    drop: ({ name }, reason) => void dropped.push(`${name} ${reason}`),
    defer: (next) => void turns.push(next),
  })
  let count = 0
  function from(address: string, arrivedAt = 0): Scripted {
    count += 1
    const arrival = { address, arrivedAt, name: `${address}${count}` }
    arrivals.arrive(arrival)
    return arrival
  }
  function turn(): void {
    for (const next of turns.splice(0)) next()
  }
  return { ...arrivals, from, turn, begun, dropped }
}

describe('a connection on its way in', () => {
  it('begins its handshake with its first bytes, and not before', () => {
    const { from, speak, begun, count, handshakes } = aPort()
    const arrival = from('a')

    const atFirst = [...begun]
    speak(arrival)

    expect(atFirst).toEqual([])
    expect(begun).toEqual(['a1'])
    expect([count(), handshakes()]).toEqual([1, 1])
  })

  it('is given up when it says nothing for long, and nobody else is', () => {
    const { from, speak, sweep, dropped } = aPort({ silentMs: 5_000 })
    from('a', 0)
    speak(from('b', 0))
    from('a', 4_000)

    sweep(5_000)

    expect(dropped).toEqual(['a1 silent'])
  })

  it('leaves nothing behind, wherever it was', () => {
    const port = aPort({ handshakesPerTurn: 1 })
    const [silent, begun, queued] = [port.from('a'), port.from('a'), port.from('a')]
    port.speak(begun)
    port.speak(queued)

    for (const one of [silent, begun, queued, begun]) port.leave(one)
    port.turn()

    expect([port.count(), port.handshakes()]).toEqual([0, 0])
    expect(port.begun).toEqual(['a2'])
  })
})

describe('when there are too many', () => {
  it('the oldest of the address that has most gives way', () => {
    const { from, dropped, count } = aPort({ arrivingMax: 4 })
    from('b')
    for (let n = 0; n < 3; n++) from('a')

    from('c')
    from('c')

    expect(dropped).toEqual(['a2 flooded', 'a3 flooded'])
    expect(count()).toBe(4)
  })

  it('one address gives way to itself before others have to', () => {
    const { from, dropped } = aPort({ arrivingPerAddressMax: 2 })
    from('b')

    for (let n = 0; n < 3; n++) from('a')

    expect(dropped).toEqual(['a2 flooded'])
  })

  it('those that said something stay longer than those that did not', () => {
    const { from, speak, dropped } = aPort({ arrivingPerAddressMax: 2 })
    speak(from('a'))
    from('a')

    from('a')

    expect(dropped).toEqual(['a2 flooded'])
  })

  it('a handshake that is not answered gives way to the next', () => {
    const { from, speak, begun, dropped, handshakes } = aPort({ handshakesMax: 2 })
    speak(from('b'))
    speak(from('a'))
    speak(from('a'))

    speak(from('c'))

    expect(begun).toEqual(['b1', 'a2', 'a3', 'c4'])
    expect(dropped).toEqual(['a2 flooded', 'b1 flooded'])
    expect(handshakes()).toBe(2)
  })
})

describe('handshakes', () => {
  it('begin a few in a turn of the event loop, and addresses take turns', () => {
    const { from, speak, turn, begun } = aPort({ handshakesPerTurn: 2 })
    for (let n = 0; n < 5; n++) speak(from('a'))
    speak(from('b'))

    const first = begun.splice(0)
    turn()
    const second = begun.splice(0)
    turn()

    expect(first).toEqual(['a1', 'a2'])
    expect(second).toEqual(['a3', 'b6'])
    expect(begun).toEqual(['a4', 'a5'])
  })

  it('that were not begun are given up when the port closes', () => {
    const { from, speak, dropAll, dropped } = aPort({ handshakesPerTurn: 1 })
    speak(from('a'))
    speak(from('a'))
    from('b')

    dropAll()

    expect(dropped).toEqual(['a2 silent', 'b3 silent'])
  })
})
