import { BrokerRefused, IdentityRefused } from '@bourse/client'
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

  it("points to the address and the broker's certificate if these do not fit", () => {
    const { exitCode, next } = reportOf(new IdentityRefused('not it', { isWrongAddress: true }))

    expect(exitCode).toBe(5)
    expect(next).toMatch(/^Check --broker-url: .*`bourse ca issue broker --server --dns .* --ip /)
    expect(next).not.toContain('--cert-path')
  })
})

it.each([
  ['requestedResources.cpu', '--cpu'],
  ['requestedResources["example.com/fpga"]', '--resource example.com/fpga'],
  ['requestedResources.pods', '--resource pods'],
  ['duration', '--duration'],
  ['targetClusterID', '--target'],
  ['elsewhere', 'elsewhere'],
])('a complaint about %s names what was typed: %s', (path, flag) => {
  const fields = [{ path, message: "'x' is wrong" }]
  const inDetail = new BrokerRefused(`${path}: 'x' is wrong`, { status: 400, fields })
  const beside = new BrokerRefused('Not valid.', { status: 400, fields })

  expect(reportOf(inDetail).what).toBe(`${flag}: 'x' is wrong`)
  expect(reportOf(beside).what).toBe(`Not valid.\n  ${flag}: 'x' is wrong`)
})
