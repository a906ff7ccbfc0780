import { describe, expect, it } from 'vitest'
import { accountOf } from './measurement-account.ts'

describe('the account of a measurement', () => {
  it('says how many nodes count', () => {
    expect(accountOf({ nodes: 1, nodesLeftOut: {}, problems: [] })).toEqual({
      type: 'Measured',
      status: 'True',
      reason: 'Counted',
      message: '1 node counted.',
    })
  })

  it('says which nodes do not, and why', () => {
    const nodesLeftOut = { NotReady: 2, VirtualNode: 1 }

    expect(accountOf({ nodes: 12, nodesLeftOut, problems: [] }).message).toBe(
      '12 nodes counted, left out: 2 not ready, 1 virtual.',
    )
  })

  it('names what could not be read, and no more of it than one can take in', () => {
    const problems = ['A.', 'B.', 'C.', 'D.', 'E.']

    expect(accountOf({ nodes: 3, nodesLeftOut: {}, problems })).toMatchObject({
      status: 'False',
      reason: 'SomeUnreadable',
      message: "3 nodes counted. A. B. C. 2 more in the agent's log.",
    })
  })
})
