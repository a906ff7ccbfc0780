import { steppedClock } from '@bourse/testkit/clock'
import { describe, expect, it } from 'vitest'
import { aPairing, failed, type Given } from '../../../fixtures/peering/liqoctl/liqoctl-pairing.ts'

const stepped = (given?: Given) => aPairing(steppedClock(), given)

describe('peering by liqoctl', () => {
  it('peers once for several reservations, one command at a time', async () => {
    const { pairing, clock, commands, mostAtOnce } = stepped()

    for (const reservation of ['rsv-1', 'rsv-2', 'rsv-3']) pairing.want('paris', reservation)
    pairing.look('paris')
    await clock.advance(5_000)

    expect(commands).toEqual(['peer'])
    expect(mostAtOnce()).toBe(1)
    expect(pairing.stateOf('paris').ready).toEqual({
      liqoId: 'liqo-paris',
      namespace: 'liqo-tenant-liqo-paris',
    })
  })

  it('says why it failed, and pauses before a retry, also if something changes meanwhile', async () => {
    const { pairing, clock, commands } = stepped({ replies: [failed] })

    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)
    pairing.look('paris')
    await clock.advance(2_000)

    expect(commands).toEqual(['peer'])
    expect(pairing.stateOf('paris').steps.at(-1)).toMatchObject({
      type: 'TenantReady',
      reason: 'LiqoctlFailed',
      message: 'liqoctl: no route to host',
    })
    await clock.advance(10_000)
    expect(pairing.stateOf('paris').ready).toBeDefined()
  })

  it.each<Given & { name: string; reason: string; message: string }>([
    {
      name: 'a kubeconfig that is missing',
      file: { kind: 'missing', message: 'There is no kubeconfig for paris' },
      reason: 'KubeconfigMissing',
      message: 'There is no kubeconfig for paris',
    },
    {
      name: 'a liqoctl that is missing',
      replies: [{ ...failed, reason: 'LiqoctlMissing', message: 'liqoctl cannot be run' }],
      reason: 'LiqoctlMissing',
      message: 'liqoctl cannot be run',
    },
  ])('runs no command, and says why: $name', async ({ name: _, reason, message, ...given }) => {
    const { pairing, clock } = stepped(given)

    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)

    expect(pairing.stateOf('paris').steps).toEqual([
      { type: 'PeeringRequested', status: 'False', reason, message },
    ])
  })

  it('builds a tunnel where one is asked for, and tells when it is down later', async () => {
    const tunnel = { networking: 'wireguard', tunnel: 'Error' } as const
    const { pairing, clock, runs } = stepped(tunnel)

    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)

    expect(runs[0]).toContain('--gw-server-service-type=LoadBalancer')
    expect(pairing.stateOf('paris').steps.at(-1)).toMatchObject({
      type: 'NetworkReady',
      status: 'False',
      reason: 'TunnelDown',
      message: 'The tunnel that liqoctl made is not up: Liqo says Error',
    })
  })

  it('waits for a peering that is being taken away before it makes a new one', async () => {
    const { pairing, clock, commands, dying } = stepped()
    pairing.want('paris', 'rsv-1')
    await clock.advance(2_000)
    dying()

    pairing.want('paris', 'rsv-2')
    await clock.advance(2_000)

    expect(commands).toEqual(['peer'])
    expect(pairing.stateOf('paris').ready).toBeUndefined()
  })
})
