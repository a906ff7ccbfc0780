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

  it('alone is given up when it says nothing for long', () => {
    const { from, speak, sweep, dropped } = aPort({ silentMs: 5_000 })
    from('a', 0)
    speak(from('b', 0))
    from('a', 4_000)

    sweep(5_000)

    expect(dropped).toEqual(['a1 silent'])
  })

  it('leaves nothing behind, wherever it was', () => {
    const port = aPort()
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

  it('a handshake of the address that has most gives way to an address with fewer', () => {
    const { from, speak, turn, begun, dropped, handshakes } = aPort({ handshakesMax: 2 })
    for (const address of ['a', 'a', 'a']) speak(from(address))
    for (let n = 0; n < 40; n++) turn()
    const beforehand = [...begun]

    speak(from('b'))
    for (let n = 0; n < 40; n++) turn()

    expect(beforehand).toEqual(['a1', 'a2'])
    expect(begun).toEqual(['a1', 'a2', 'b4'])
    expect(dropped).toEqual(['a1 flooded'])
    expect(handshakes()).toBe(2)
  })

  it('those of one address, or of as many addresses, wait for each other', () => {
    const { from, speak, turn, leave, begun, dropped } = aPort({ handshakesMax: 2 })
    const arrivals = ['a', 'b', 'a', 'c'].map((address) => from(address))
    for (const arrival of arrivals) speak(arrival)
    for (let n = 0; n < 40; n++) turn()
    const beforehand = [...begun]

    for (const arrival of arrivals.slice(0, 2)) leave(arrival)
    for (let n = 0; n < 40; n++) turn()

    expect(beforehand).toEqual(['a1', 'b2'])
    expect(begun.toSorted()).toEqual(['a1', 'a3', 'b2', 'c4'])
    expect(dropped).toEqual([])
  })
})

describe('handshakes', () => {
  it('begin one in a turn of the event loop, and addresses take turns', () => {
    const { from, speak, turn, begun } = aPort()
    const [a1, a2, a3, b4] = ['a', 'a', 'a', 'b'].map((address) => from(address)) as Scripted[]
    turn()
    for (const one of [a1, a2, a3, b4]) if (one) speak(one)

    const first = [...begun]
    for (let n = 0; n < 10; n++) turn()

    expect(first).toEqual(['a1'])
    expect(begun).toEqual(['a1', 'a2', 'b4', 'a3'])
  })

  it('wait while others arrive, but not for ever', () => {
    const { from, speak, turn, begun } = aPort({ arrivalsPerHandshake: 2 })
    speak(from('a'))
    speak(from('a'))
    const seen: number[] = []

    for (let n = 0; n < 4; n++) {
      from('c')
      turn()
      seen.push(begun.length)
    }

    expect(seen).toEqual([1, 1, 2, 2])
  })

  it('that were not begun are given up when the port closes', () => {
    const { from, speak, dropAll, dropped } = aPort()
    speak(from('a'))
    speak(from('a'))
    from('b')

    dropAll()

    expect(dropped).toEqual(['a2 silent', 'b3 silent'])
  })
})
