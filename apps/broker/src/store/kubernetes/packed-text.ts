import { promisify } from 'node:util'
import { gunzip, gzip, gzipSync } from 'node:zlib'
import type { Packed } from './kinds.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** Below this, compressing saves less than it costs the commit that waits for it. */
const PLAIN_CHARACTERS_MAX = 8 * 1024
/** etcd takes 1.5 MiB a request; what is around the text needs a little of that. */
const PACKED_BYTES_MAX = 1_300_000
/** Speed counts: the texts are JSON that shrinks to a fifth at any level. */
const LEVEL = 1
/** Up to this, which is a tenth of a millisecond, handing it to another thread costs more. */
const AT_ONCE_CHARACTERS_MAX = 64 * 1024
/** No text that we wrote expands to more; one that does is not ours. */
const EXPANDED_BYTES_MAX = 256 * 1024 * 1024

export async function pack(text: string): Promise<Packed> {
  if (text.length <= PLAIN_CHARACTERS_MAX) return { encoding: 'plain', text }
  return packedOf(await gzipped(text))
}

/** Several of these after each other are one again: gzip reads them as one text. */
export async function gzipped(text: string): Promise<Buffer> {
  if (text.length <= AT_ONCE_CHARACTERS_MAX) return gzipSync(text, { level: LEVEL })
  return compress(text, { level: LEVEL })
}

export const packedOf = (bytes: Buffer): Packed => ({
  encoding: 'gzip',
  text: bytes.toString('base64'),
})

export async function unpack({ encoding, text }: Packed): Promise<string> {
  if (encoding === 'plain') return text
  const bytes = Buffer.from(text, 'base64')
  return (await expand(bytes, { maxOutputLength: EXPANDED_BYTES_MAX })).toString('utf8')
}

export function checkFits({ text }: Packed, what: string): void {
  // Base64 and plain JSON texts are ASCII but for names that people chose: bytes decide.
  const bytes = Buffer.byteLength(text)
  if (bytes > PACKED_BYTES_MAX)
    throw new Error(`${what} takes ${bytes} bytes, and an object holds ${PACKED_BYTES_MAX}.`)
}
