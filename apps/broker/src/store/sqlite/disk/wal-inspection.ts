import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

/**
 * What SQLite will make of its write-ahead log, found out before SQLite opens it, since its
 * recovery keeps the frames before the first damaged one and says nothing about the rest.
 * Format: https://www.sqlite.org/fileformat2.html#walformat
 *
 *   clean    nothing of this log is lost, unless its very end is (the witness knows)
 *   torn     the last transaction is incomplete: never finished, or damaged (the witness knows)
 *   middle   whole transactions follow the damage, and a transaction starts only when the one
 *            before has been flushed: something that was safe on disk has changed
 */
export type WalInspection = Readonly<{
  verdict: 'clean' | 'torn' | 'middle'
  /** Frames of this log that recovery drops. */
  framesLost: number
  /** Where recovery stops reading: the first frame (from 1; 0 is the header) that it refuses. */
  stop: Readonly<{ frame: number; byte: number }>
}>

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const CHECKSUM_LITTLE_ENDIAN = 0x377f0682
const CHECKSUM_BIG_ENDIAN = 0x377f0683

const NOTHING_READ = { framesLost: 0, stop: { frame: 0, byte: 0 } }

export function inspectWal(path: string): WalInspection {
  if (!existsSync(path)) return { verdict: 'clean', ...NOTHING_READ }
  const file = openSync(path, 'r')
  try {
    return inspect(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

function inspect(file: number, size: number): WalInspection {
  const start = readAt(file, 0, HEADER_BYTES)
  const header = size > HEADER_BYTES ? readHeader(start) : undefined
  // A torn header is legal: SQLite renews it when all of the old log is in the database.
  if (!header) return { verdict: size > HEADER_BYTES ? 'torn' : 'clean', ...NOTHING_READ }
  const frameBytes = FRAME_HEADER_BYTES + header.pageBytes
  const count = Math.floor((size - HEADER_BYTES) / frameBytes)
  const after = { frames: 0, commits: 0 }
  let accepted = 0
  let sums: Sums | undefined = header.sums
  for (let nth = 0; nth < count; nth++) {
    const frame = readAt(file, HEADER_BYTES + nth * frameBytes, frameBytes)
    const isOurs =
      frame.readUInt32BE(8) === header.salts[0] && frame.readUInt32BE(12) === header.salts[1]
    const isCommit = frame.readUInt32BE(4) !== 0
    sums = sums && isOurs ? acceptFrame(frame, sums, header.readWord) : undefined
    if (sums) accepted++
    else if (isOurs) {
      after.frames++
      if (isCommit) after.commits++
    }
  }
  const verdict = after.frames === 0 ? 'clean' : after.commits > 1 ? 'middle' : 'torn'
  const stop = { frame: accepted + 1, byte: HEADER_BYTES + accepted * frameBytes }
  return { verdict, framesLost: after.frames, stop }
}

type Sums = readonly [number, number]
type ReadWord = (bytes: Buffer, at: number) => number

function readHeader(bytes: Buffer) {
  const magic = bytes.readUInt32BE(0)
  if (magic !== CHECKSUM_LITTLE_ENDIAN && magic !== CHECKSUM_BIG_ENDIAN) return undefined
  const readWord: ReadWord =
    magic === CHECKSUM_LITTLE_ENDIAN
      ? (from, at) => from.readUInt32LE(at)
      : (from, at) => from.readUInt32BE(at)
  const sums = addWords(bytes.subarray(0, 24), [0, 0], readWord)
  if (sums[0] !== bytes.readUInt32BE(24) || sums[1] !== bytes.readUInt32BE(28)) return undefined
  const salts = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] as const
  return { pageBytes: bytes.readUInt32BE(8), salts, sums, readWord }
}

/** The sums up to and including this frame, or nothing if they are not the ones it carries. */
function acceptFrame(frame: Buffer, before: Sums, readWord: ReadWord): Sums | undefined {
  const begun = addWords(frame.subarray(0, 8), before, readWord)
  const sums = addWords(frame.subarray(FRAME_HEADER_BYTES), begun, readWord)
  return sums[0] === frame.readUInt32BE(16) && sums[1] === frame.readUInt32BE(20) ? sums : undefined
}

function addWords(bytes: Buffer, before: Sums, readWord: ReadWord): Sums {
  let [first, second] = before
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + readWord(bytes, at) + second) >>> 0
    second = (second + readWord(bytes, at + 4) + first) >>> 0
  }
  return [first, second]
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, position)
  return bytes
}
