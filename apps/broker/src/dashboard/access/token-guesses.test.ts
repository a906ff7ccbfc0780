import { describe, expect, it } from 'vitest'
import { createTokenGuesses } from './token-guesses.ts'

const wrong = () => false
const right = () => true

function aLimit() {
  const clock = { at: 0 }
  const pauses: number[] = []
  const told: string[] = []
  const guesses = createTokenGuesses({
    now: () => clock.at,
    pause: async (ms) => void pauses.push(ms),
    guessed: (how) => told.push(how),
  })
  async function guess(address: string, times: number): Promise<void> {
    for (let tries = 0; tries < times; tries += 1) await guesses.judge(address, wrong)
  }
  return { clock, pauses, told, guess, ...guesses }
}

describe('guesses of the token', () => {
  it('are judged at once, ten of them from an address', async () => {
    const { judge, guess, pauses, told } = aLimit()

    await guess('10.0.0.1', 10)

    expect(pauses).toEqual([])
    expect(told).toEqual(Array(10).fill('wrongToken'))
    expect(await judge('10.0.0.2', right)).toBe('right')
    expect(pauses).toEqual([])
  })

  it('take three seconds each from there on, and the right one is still right', async () => {
    const { judge, guess, pauses } = aLimit()
    await guess('10.0.0.1', 10)

    const late = await judge('10.0.0.1', right)

    expect(late).toBe('right')
    expect(pauses).toEqual([3_000])
  })

  it('are free again after a minute', async () => {
    const { judge, guess, clock, pauses } = aLimit()
    await guess('10.0.0.1', 10)

    clock.at = 60_000
    await judge('10.0.0.1', wrong)

    expect(pauses).toEqual([])
  })

  it('are not looked at beyond eight at a time, and elsewhere that is not noticed', async () => {
    const never = () => new Promise<void>(() => {})
    const { judge } = createTokenGuesses({ now: () => 0, pause: never })
    for (let tries = 0; tries < 10; tries += 1) await judge('10.0.0.1', wrong)
    for (let tries = 0; tries < 8; tries += 1) void judge('10.0.0.1', wrong)

    expect(await judge('10.0.0.1', right)).toBe('tooManyTries')
    expect(await judge('10.0.0.2', right)).toBe('right')
  })

  it('from everywhere at once slow every try down a little, and refuse none', async () => {
    const { judge, guess, pauses } = aLimit()
    for (let host = 0; host < 200; host += 1) await guess(`10.0.1.${host}`, 1)

    const operator = await judge('10.0.0.2', right)

    expect(operator).toBe('right')
    expect(pauses).toEqual([500])
  })

  it.each([
    { name: 'another address of the same network', address: '2001:db8:0:1:ffff::9', isSlow: true },
    { name: 'the same network, written in full', address: '2001:db8:0:1:0:0:0:2', isSlow: true },
    { name: 'another network', address: '2001:db8:0:2::1', isSlow: false },
    { name: 'loopback', address: '::1', isSlow: false },
  ])('count by network in IPv6: $name', async ({ address, isSlow }) => {
    const { judge, guess, pauses } = aLimit()
    await guess('2001:db8:0:1::1', 10)

    await judge(address, wrong)

    expect(pauses).toEqual(isSlow ? [3_000] : [])
  })

  it('remember a bounded number of addresses', async () => {
    const { judge, guess, pauses } = aLimit()
    await guess('192.0.2.1', 10)

    for (let host = 0; host < 10_000; host += 1) await guess(`10.${host >> 8}.${host & 255}.1`, 1)
    pauses.length = 0
    await judge('192.0.2.1', wrong)

    expect(pauses).toEqual([500])
  })
})
