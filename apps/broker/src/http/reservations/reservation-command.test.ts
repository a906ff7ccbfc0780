import { describe, expect, it } from 'vitest'
import { createFieldCheck } from '../errors/field-check.ts'
import { requesterOf } from './reservation-command.ts'

const alice = { id: 'alice', isOperator: true }
const carol = { id: 'Carol Jones', isOperator: true }

describe('on whose behalf an operator asks', () => {
  it.each([
    {
      name: 'names the id that is none, not the operator',
      caller: alice,
      written: 'Bad_ID',
      message:
        '"Bad_ID" is not a valid cluster id: name the cluster as its certificate does, such as rome',
    },
    {
      name: 'quotes the beginning of one without an end',
      caller: alice,
      written: 'x'.repeat(10_000),
      message: `"${'x'.repeat(64)}" is not a valid cluster id: name the cluster as its certificate does, such as rome`,
    },
    {
      name: 'must be said by one whose own name is no cluster’s',
      caller: carol,
      written: undefined,
      message: 'name the cluster to act for: "Carol Jones" is not a valid cluster id',
    },
  ])('$name', ({ caller, written, message }) => {
    const check = createFieldCheck()

    requesterOf(written, caller, check)

    expect(check.problems).toEqual([{ path: 'requesterID', message }])
  })

  it('is their own, if their name is a cluster’s', () => {
    const check = createFieldCheck()

    const requester = requesterOf('', alice, check)

    expect([requester, check.problems]).toEqual(['alice', []])
  })
})
