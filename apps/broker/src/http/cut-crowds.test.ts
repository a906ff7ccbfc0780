import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { cutCrowds } from './cut-crowds.ts'

describe('a request', () => {
  it.each([
    { name: 'alone, while nothing waits', crowded: false, behind: false, fate: 'answered' },
    { name: 'behind another, while nothing waits', crowded: false, behind: true, fate: 'answered' },
    { name: 'alone, in a crowd', crowded: true, behind: false, fate: 'answered' },
    { name: 'behind another, in a crowd', crowded: true, behind: true, fate: 'cut off' },
  ])('$name, is $fate', ({ crowded, behind, fate }) => {
    const { ask, seen } = aListener(crowded)

    ask({ behind })

    expect(seen).toEqual([fate])
  })

  it('of a connection that was cut off is not looked at', () => {
    const { ask, seen } = aListener(true)
    ask({ behind: true })

    ask({ behind: false })

    expect(seen).toEqual(['cut off'])
  })
})

function aListener(crowded: boolean) {
  const seen: string[] = []
  const socket = {
    destroyed: false,
    destroy() {
      socket.destroyed = true
      seen.push('cut off')
    },
  }
  const listen = cutCrowds(
    () => seen.push('answered'),
    () => crowded,
  )
  // Only what is looked at.
  const ask = ({ behind }: { behind: boolean }) =>
    listen(
      { socket } as unknown as IncomingMessage,
      { socket: behind ? null : socket } as ServerResponse,
    )
  return { ask, seen }
}
