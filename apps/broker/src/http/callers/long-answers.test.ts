import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRawCaller } from '@bourse/testkit'
import { useCertificates } from '@bourse/testkit/use-certificates'
import fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendLongAnswersInPieces } from './long-answers.ts'

const federation = useCertificates()

/** A server whose one answer is this text; `written` has the length of each write. */
async function aServer(text: string) {
  const directory = await federation().forServer()
  const file = (name: string) => readFileSync(join(directory, name))
  const server = fastify({ https: { cert: file('tls.crt'), key: file('tls.key') } })
  const written: number[] = []
  server.addHook('onRequest', async (_request, { raw }) => {
    const write = raw.write.bind(raw)
    raw.write = (part: Buffer) => {
      written.push(part.length)
      return write(part)
    }
  })
  sendLongAnswersInPieces(server)
  // As most routes do: the answer is sent, and nothing returned.
  server.get('/', async (_request, reply) => void reply.header('x-told', 'yes').send(text))
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const caller = createRawCaller({ url, certPath: await federation().forCluster('rome') })
  onTestFinished(async () => {
    caller.close()
    await server.close()
  })
  return { ask: () => caller.get('/'), written }
}

describe('a long answer', () => {
  it('is written in pieces, and comes as one', async () => {
    const text = 'ä'.repeat(250_000)
    const { ask, written } = await aServer(text)

    const { status, headers, text: heard } = await ask()

    expect([status, headers['content-length'], headers['x-told']]).toEqual([200, '500000', 'yes'])
    expect(heard).toBe(text)
    expect(Math.max(...written)).toBeLessThanOrEqual(32 * 1024)
    expect(written.reduce((sum, one) => sum + one)).toBe(500_000)
  })

  it('is one above 64 KiB; shorter ones are written at once', async () => {
    const { ask, written } = await aServer('x'.repeat(64 * 1024))

    expect((await ask()).text).toHaveLength(64 * 1024)
    expect(written).toEqual([])
  })
})
