import { describe, expect, it } from 'vitest'
import { stepsOf } from './liqoctl-steps.ts'
import { liqoctlLines } from './run-liqoctl.ts'

const written = (...lines: string[]) =>
  liqoctlLines(lines.map((line) => `\r   \r${line}\n`).join(''))
const NAMESPACE = 'INFO: Tenant namespace correctly ensured'
const LIQO_TENANT = 'INFO: Tenant status is filled'
const IDENTITY = 'INFO: Identity status is filled'

type Stopped = Readonly<{
  name: string
  networking: 'none' | 'wireguard'
  lines: ReturnType<typeof written>
  at: string
}>

describe('what liqoctl says of its progress', () => {
  it('becomes the steps of a peering', () => {
    const lines = written('Waiting for tenant status to be filled', LIQO_TENANT, IDENTITY)

    const steps = stepsOf({ kind: 'done', output: '', lines }, 'none')

    expect(steps.map(({ type, status }) => [type, status])).toEqual([
      ['PeeringRequested', 'True'],
      ['TenantReady', 'True'],
      ['IdentityReady', 'True'],
    ])
  })

  it.each<Stopped>([
    {
      name: 'before the provider answered',
      networking: 'none',
      lines: written('Ensuring nonce secret'),
      at: 'TenantReady',
    },
    {
      name: 'before we could log in',
      networking: 'none',
      lines: written(LIQO_TENANT),
      at: 'IdentityReady',
    },
    {
      name: 'before the two were connected',
      networking: 'wireguard',
      lines: written('Setting up gateway'),
      at: 'NetworkReady',
    },
    {
      name: 'after they were, or had been before',
      networking: 'wireguard',
      lines: written(NAMESPACE),
      at: 'TenantReady',
    },
  ])('ends with the step that it failed at: $name', ({ networking, lines, at }) => {
    const failure = { reason: 'LiqoctlFailed', message: 'liqoctl: no route to host' } as const

    const steps = stepsOf({ kind: 'failed', ...failure, lines }, networking)

    expect(steps.at(-1)).toEqual({ type: at, status: 'False', ...failure })
  })
})
