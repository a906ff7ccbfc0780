import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createClientErrorAnswer } from './client-errors.ts'

describe('what never became a request', () => {
  it.each([
    { code: 'HPE_INVALID_METHOD', status: 400, says: 'This is not an HTTP request.' },
    { code: 'HPE_HEADER_OVERFLOW', status: 431, says: 'HeadersTooLarge' },
    { code: 'ERR_HTTP_REQUEST_TIMEOUT', status: 408, says: 'RequestTimeout' },
    { code: 'HPE_PAUSED', status: 429, says: 'Retry-After: 1\r\n' },
  ])('$code is a $status, and the connection ends', ({ code, status, says }) => {
    const { socket, words } = aSocket()

    answer(Object.assign(new Error('parser'), { code }), socket)

    expect(words()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(words()).toContain(says)
    expect(words()).toContain('Connection: close')
  })
})

const answer = createClientErrorAnswer({
  ledgerId: 'l',
  term: 't',
  index: () => 7,
  date: () => 'Thu, 01 Jan 2026 00:00:00 GMT',
})

function aSocket() {
  let said = ''
  const end = (text: string) => {
    said += text
  }
  // Only what the answer uses.
  return { socket: { writable: true, end } as unknown as Socket, words: () => said }
}
