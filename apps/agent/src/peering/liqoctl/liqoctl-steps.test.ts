import { describe, expect, it } from 'vitest'
import { liqoctlLines } from './liqoctl-lines.ts'
import { stepsOf } from './liqoctl-steps.ts'

const written = (...lines: string[]) =>
  liqoctlLines(lines.map((line) => `\r   \r${line}\n`).join(''))
const TENANT = 'INFO: Tenant status is filled'
const IDENTITY = 'INFO: Identity status is filled'

describe('what liqoctl says of its progress', () => {
  it('becomes the steps of a peering', () => {
    const lines = written('Waiting for tenant status to be filled', TENANT, IDENTITY)

    const steps = stepsOf({ kind: 'done', output: '', lines })

    expect(steps.map(({ type, status }) => [type, status])).toEqual([
      ['PeeringRequested', 'True'],
      ['TenantReady', 'True'],
      ['IdentityReady', 'True'],
    ])
  })

  it.each([
    {
      name: 'before the provider answered',
      lines: written('Ensuring nonce secret'),
      at: 'TenantReady',
    },
    { name: 'before we could log in', lines: written(TENANT), at: 'IdentityReady' },
  ])('ends with the step that it failed at: $name', ({ lines, at }) => {
    const failure = { reason: 'LiqoctlFailed', message: 'liqoctl: no route to host' } as const

    const steps = stepsOf({ kind: 'failed', ...failure, lines })

    expect(steps.at(-1)).toEqual({ type: at, status: 'False', ...failure })
  })
})
