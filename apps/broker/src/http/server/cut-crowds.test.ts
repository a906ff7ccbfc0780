import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { cutCrowds } from './cut-crowds.ts'

describe('a request', () => {
  it.each([
    { name: 'alone, while nothing waits', crowded: false, behind: false, last: false },
    { name: 'behind another, while nothing waits', crowded: false, behind: true, last: false },
    { name: 'alone, in a crowd', crowded: true, behind: false, last: false },
    { name: 'behind another, in a crowd', crowded: true, behind: true, last: true },
  ])('$name, is answered; the connection ends with it: $last', ({ crowded, behind, last }) => {
    const { ask, answered } = aConnection(crowded)

    ask({ behind })

    expect(answered).toEqual([last ? 'and ends' : 'and goes on'])
  })

  it('of a connection that ends is not looked at', () => {
    const { ask, answered } = aConnection(true)
    ask({ behind: true })

    ask({ behind: true })

    expect(answered).toEqual(['and ends'])
  })
})

function aConnection(crowded: boolean) {
  const answered: string[] = []
  const socket = { destroyed: false }
  const listen = cutCrowds(
    (_request, response) =>
      answered.push(response.getHeader('connection') === 'close' ? 'and ends' : 'and goes on'),
    () => crowded,
  )
  function ask({ behind }: { behind: boolean }): void {
    const headers = new Map<string, string>()
    const response = {
      socket: behind ? null : socket,
      setHeader: (name: string, value: string) => headers.set(name, value),
      getHeader: (name: string) => headers.get(name),
    }
    // Only what is looked at.
    listen({ socket } as unknown as IncomingMessage, response as unknown as ServerResponse)
  }
  return { ask, answered }
}
