import { BrokerUnreachable, IdentityRefused } from '@bourse/client'
import { describe, expect, it } from 'vitest'
import { reportOf } from './fault-report.ts'

describe('an identity that is refused', () => {
  it('points to our own certificate', () => {
    const { exitCode, next } = reportOf(new IdentityRefused('not accepted'))

    expect(exitCode).toBe(5)
    expect(next).toContain('Check --cert-path')
  })

  it('points to the operator of a broker whose certificate is no good', () => {
    const { exitCode, next } = reportOf(new IdentityRefused('expired', { isForOperator: true }))

    expect(exitCode).toBe(5)
    expect(next).toContain('the operator of that broker')
    expect(next).not.toContain('--cert-path')
  })

  it('may be behind a broker that hangs up without a word', () => {
    const { exitCode, next } = reportOf(new BrokerUnreachable('closed', { isMaybeIdentity: true }))

    expect(exitCode).toBe(6)
    expect(next).toContain('--cert-path was revoked')
  })

  it("points to the address and the broker's certificate if these do not fit", () => {
    const { exitCode, next } = reportOf(new IdentityRefused('not it', { isWrongAddress: true }))

    expect(exitCode).toBe(5)
    expect(next).toMatch(/^Check --broker-url: .*`bourse ca issue broker --server --dns .* --ip /)
    expect(next).not.toContain('--cert-path')
  })
})
