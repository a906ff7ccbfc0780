import { describe, expect, it } from 'vitest'
import { readAddress } from './read-call.ts'

const CALLS = 'bourse/v1/rome/calls'
const answers = (client: string) => `bourse/v1/rome/answers/${client}`
const packet = (responseTopic?: string, correlationData?: Buffer) => ({
  retain: false,
  properties: {
    ...(responseTopic !== undefined && { responseTopic }),
    ...(correlationData && { correlationData }),
  },
})

describe('the address of a call by MQTT', () => {
  it('is its topic, and where it wants its answer', () => {
    const correlationData = Buffer.from('7')

    expect(readAddress(CALLS, packet(answers('rome-1'), correlationData))).toEqual({
      id: 'rome',
      answersTo: answers('rome-1'),
      correlationData,
    })
  })

  it.each([
    { name: 'none at all', responseTopic: undefined },
    { name: 'that of another cluster', responseTopic: 'bourse/v1/paris/answers/x' },
    { name: 'one that only begins like it', responseTopic: 'bourse/v1/rome/answers' },
    { name: 'no name', responseTopic: answers('') },
    { name: 'a wildcard', responseTopic: answers('#') },
    { name: 'a wildcard of one level', responseTopic: answers('+') },
    { name: 'a NUL', responseTopic: answers('x\0') },
    { name: 'a line break', responseTopic: answers('x\n') },
    { name: 'a lone surrogate', responseTopic: answers('\ud800') },
    { name: 'a name without end', responseTopic: answers('x'.repeat(60_000)) },
  ])('cannot be answered at $name', ({ responseTopic }) => {
    expect(readAddress(CALLS, packet(responseTopic))).toEqual({
      id: 'rome',
      reason: expect.stringMatching(/^its response topic is not .{0,120}$/),
    })
  })

  it('cannot be answered with all of a huge correlation', () => {
    expect(readAddress(CALLS, packet(answers('x'), Buffer.alloc(1_025)))).toMatchObject({
      reason: 'its correlation data is longer than 1024 bytes',
    })
  })

  it.each([
    { name: 'a retained message', topic: CALLS, retain: true },
    { name: 'no cluster', topic: `bourse/v1/${'x'.repeat(64)}/calls`, retain: false },
    { name: 'a name in capitals', topic: 'bourse/v1/ROME/calls', retain: false },
  ])('is nothing for $name', ({ topic, retain }) => {
    expect(readAddress(topic, { ...packet(answers('x')), retain })).toBeUndefined()
  })
})
