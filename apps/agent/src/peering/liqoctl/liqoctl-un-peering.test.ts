import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import {
  aPairing,
  failed,
  type Given,
  GRACE_MS,
  LINGER_MS,
} from '../../../fixtures/peering/liqoctl/liqoctl-pairing.ts'

const stepped = (given?: Given) => aPairing(steppedClock(), given)

describe('un-peering by liqoctl', () => {
  it('un-peers a while after the last reservation has gone', async () => {
    const { pairing, clock, commands } = stepped()
    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)

    pairing.wantNoMore('paris', 'rsv-1')
    await clock.advance(LINGER_MS - 1)
    expect(commands).toEqual(['peer'])
    await clock.advance(2_000)

    expect(commands).toEqual(['peer', 'sweep', 'unpeer'])
  })

  it('does not un-peer once a reservation has come, however far it has got with that', async () => {
    const { pairing, clock, commands } = stepped({ lingerMs: 0 })
    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)
    pairing.wantNoMore('paris', 'rsv-1')
    await clock.advance(500)
    expect(commands).toEqual(['peer', 'sweep'])

    pairing.want('paris', 'rsv-2')
    await clock.advance(5_000)

    expect(commands).toEqual(['peer', 'sweep'])
    expect(pairing.stateOf('paris').ready).toBeDefined()
  })

  it('no reservation can use a peering that is being removed', async () => {
    const { pairing, clock, commands } = stepped({ lingerMs: 0 })
    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)
    pairing.wantNoMore('paris', 'rsv-1')
    await clock.advance(1_500)
    expect(commands).toEqual(['peer', 'sweep', 'unpeer'])

    pairing.want('paris', 'rsv-2')

    expect(pairing.stateOf('paris').ready).toBeUndefined()
    await clock.advance(5_000)
    expect(commands).toEqual(['peer', 'sweep', 'unpeer', 'peer'])
    expect(pairing.stateOf('paris').ready).toBeDefined()
  })

  it('takes away what a command has made that failed after all', async () => {
    const { pairing, clock, commands, isPeered } = stepped({ replies: [failed], isHalfMade: true })
    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)
    expect(isPeered()).toBe(true)

    pairing.wantNoMore('paris', 'rsv-1')
    await clock.advance(LINGER_MS)

    expect(commands).toEqual(['peer', 'sweep', 'unpeer'])
    expect(isPeered()).toBe(false)
  })

  it('takes away what a command makes that is under way when the last one is given up', async () => {
    const { pairing, clock, commands, isPeered } = stepped()
    pairing.want('paris', 'rsv-1')
    await clock.advance(500)

    pairing.wantNoMore('paris', 'rsv-1')
    await clock.advance(LINGER_MS + 5_000)

    expect(commands).toEqual(['peer', 'sweep', 'unpeer'])
    expect(isPeered()).toBe(false)
  })

  it('does not try for ever to take away what may never have been made', async () => {
    const { pairing, clock, commands } = stepped({ replies: Array(100).fill(failed) })
    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)
    pairing.wantNoMore('paris', 'rsv-1')
    await clock.advance(2 * GRACE_MS)
    commands.length = 0

    pairing.look('paris')
    await clock.advance(GRACE_MS)

    expect(commands).toEqual([])
  })

  it('leaves a peering alone while a slice made by hand uses it', async () => {
    const { pairing, clock, commands, slices } = stepped()
    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)
    slices.push({
      apiVersion: 'authentication.liqo.io/v1beta1',
      kind: 'ResourceSlice',
      metadata: { name: 'by-hand' },
      spec: { class: 'default', providerClusterID: 'liqo-paris' },
    })

    pairing.wantNoMore('paris', 'rsv-1')
    await clock.advance(2 * LINGER_MS)

    expect(commands).toEqual(['peer'])
  })
})
