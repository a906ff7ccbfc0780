import { describe, expect, it } from 'vitest'
import { isHeld, startFailure } from './start-failure.ts'

const HELD =
  'bourse: Another broker runs on this directory: process 7 on host since noon.\n' +
  'Stop it first, or choose another --data-dir.\n'
const logFile = '/demo/broker.log'

describe('a demo whose broker does not start', () => {
  it('says how to choose another directory where one runs already', () => {
    const { message } = startFailure({ how: 'exit code 1', complaint: HELD, logFile })

    expect(isHeld(HELD)).toBe(true)
    expect(message).toBe(
      'The broker does not start (exit code 1): Another broker runs on this directory: ' +
        'process 7 on host since noon.\n' +
        'Stop it first, or choose another directory: make run ARGS="--data-dir DIR"',
    )
  })

  it('says what its broker said, and where its log is', () => {
    const complaint = 'bourse: The disk is full.\nMake room.\n'

    const { message } = startFailure({ how: 'exit code 1', complaint, logFile })

    expect(isHeld(complaint)).toBe(false)
    expect(message).toBe(
      'The broker does not start (exit code 1): The disk is full. Make room.\n' +
        'Its log: /demo/broker.log',
    )
  })
})
