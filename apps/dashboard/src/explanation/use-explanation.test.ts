import { describe, expect, it } from 'vitest'
import { readingOf } from './use-explanation.ts'

describe('reading an explanation', () => {
  it('shows what the broker explained', async () => {
    const explained = { id: 'rsv-1' }

    expect(await readingOf(answer(JSON.stringify(explained)))).toEqual({ kind: 'read', explained })
  })

  it("shows the broker's reason when it refuses", async () => {
    const refusal = answer(JSON.stringify({ detail: 'It was forgotten.' }), 404)

    expect(await readingOf(refusal)).toEqual({ kind: 'failed', detail: 'It was forgotten.' })
  })

  it.each([
    { name: 'no answer comes', respond: () => Promise.reject(new TypeError()) },
    { name: 'the body breaks off', respond: () => answer(brokenBody()) },
    { name: 'the body is not JSON', respond: () => answer('<html>') },
  ])('asks to try again when $name', async ({ respond }) => {
    expect(await readingOf(respond())).toMatchObject({
      kind: 'failed',
      detail: expect.stringContaining('does not answer'),
    })
  })
})

function answer(body: BodyInit, status = 200): Promise<Response> {
  return Promise.resolve(new Response(body, { status }))
}

/** As an abort leaves it: the headers came, the body did not. */
function brokenBody(): ReadableStream {
  return new ReadableStream({ start: (body) => body.error(new DOMException('x', 'AbortError')) })
}
