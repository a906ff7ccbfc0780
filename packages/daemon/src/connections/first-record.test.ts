import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { onFirstRecord } from './first-record.ts'

/** A record of TLS that announces so many bytes. */
const record = (length: number, bytes: number) =>
  Buffer.concat([Buffer.from([0x16, 3, 1, length >> 8, length & 0xff]), Buffer.alloc(bytes)])

async function heardAfter(...parts: Buffer[]) {
  const socket = new PassThrough()
  const told: string[] = []
  onFirstRecord(
    socket,
    () => told.push('arrived'),
    () => told.push('ended'),
  )
  for (const part of parts) {
    socket.write(part)
    await turn()
  }
  return { socket, told }
}

describe('the first record of a connection', () => {
  it.each([
    { what: 'a whole one', parts: [record(100, 100)], heard: ['arrived'] },
    { what: 'one in two parts', parts: [record(9, 4), Buffer.alloc(5)], heard: ['arrived'] },
    { what: 'half of one', parts: [record(100, 99)], heard: [] },
    { what: 'less than its header', parts: [Buffer.from([0x16])], heard: [] },
    { what: 'plain HTTP', parts: [Buffer.from('GET / HTTP/1.1\r\n')], heard: ['arrived'] },
    { what: 'more than a record may hold', parts: [record(0xffff, 1)], heard: ['arrived'] },
  ])('$what: $heard', async ({ parts, heard }) => {
    const { socket, told } = await heardAfter(...parts)

    expect(told).toEqual(heard)
    // The next reader finds all of it.
    expect(socket.read()).toEqual(heard.length > 0 ? Buffer.concat(parts) : null)
  })

  it.each([
    { what: 'before it speaks', parts: [] },
    { what: 'within the header', parts: [Buffer.from([0x16])] },
    { what: 'after half of it', parts: [record(100, 50)] },
  ])('never comes from one that hangs up $what', async ({ parts }) => {
    const { socket, told } = await heardAfter(...parts)

    socket.end()
    await turn()

    expect(told).toEqual(['ended'])
  })
})
