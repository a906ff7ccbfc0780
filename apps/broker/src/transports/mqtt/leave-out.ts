type Rules = Readonly<{
  /** Messages up to this length pass as they are. */
  bytesMax: number
  /** Whether the payload of a message to this topic, of so many bytes, is left out. */
  isLeftOut(topic: string, bytes: number): boolean
  /** What takes the place of a payload that is left out. */
  note: Buffer
}>
export type LeavingOut = ReturnType<typeof leaveOut>

const PUBLISH = 3
/** Topic, packet id and properties of a call are shorter. */
const HEAD_BYTES = 8 * 1024
/** A length has seven bits in each byte, and at most this many. */
const LENGTH_BYTES_MAX = 4
const NOTHING = Buffer.alloc(0)
const NO_PROPERTIES = Buffer.of(0)

/**
 * Reads what an MQTT server sends, and takes out payloads that would be refused anyway. The library
 * puts each payload together first: in a flood of long ones most of the broker's time went into
 * collecting that memory again.
 */
export function leaveOut({ bytesMax, isLeftOut, note }: Rules) {
  /** The beginning of a packet, while it is too short to decide. */
  let held: Buffer = NOTHING
  let passing = 0
  let dropping = 0
  /** Follows what is being dropped. */
  let shorter: Buffer = NOTHING
  let droppedBytes = 0

  return { pass, takeDropped }

  /** What to hand on, as a copy: the memory of `chunk` may be used again. */
  function pass(chunk: Buffer): Buffer {
    const data = held.length > 0 ? Buffer.concat([held, chunk]) : chunk
    const passed: Buffer[] = []
    let from = 0
    let at = 0
    while (at < data.length) {
      const left = data.length - at
      if (dropping > 0) {
        at += drop(left)
        from = at
        if (dropping === 0) passed.push(shorter)
      } else if (passing > 0) {
        const bytes = Math.min(passing, left)
        passing -= bytes
        at += bytes
      } else if (decide(data, at)) {
        if (dropping > 0) passed.push(data.subarray(from, at))
      } else break
    }
    held = Buffer.from(data.subarray(at))
    return Buffer.concat([...passed, data.subarray(from, at)])
  }

  /** How many bytes were left out since this was last asked. */
  function takeDropped(): number {
    const bytes = droppedBytes
    droppedBytes = 0
    return bytes
  }

  function drop(left: number): number {
    const bytes = Math.min(dropping, left)
    dropping -= bytes
    droppedBytes += bytes
    return bytes
  }

  /** Whether to pass or to drop the packet that begins here; false: more of it is needed. */
  function decide(data: Buffer, at: number): boolean {
    const length = readLength(data, at + 1)
    if (!length) return false
    const isLong = data.readUInt8(at) >> 4 === PUBLISH && length.value > bytesMax
    if (isLong && data.length - at < HEAD_BYTES) return false
    const bytes = length.end - at + length.value
    const made = isLong && shortened(data.subarray(at, at + HEAD_BYTES), length.end - at)
    if (made) {
      shorter = made
      dropping = bytes
    } else passing = bytes
    return true

    function shortened(head: Buffer, start: number): Buffer | undefined {
      const topicEnd = start + 2 + head.readUInt16BE(start)
      // Only messages of QoS 1 and 2 have a packet id.
      const idEnd = topicEnd + ((head.readUInt8() & 0b110) === 0 ? 0 : 2)
      const isReadable = idEnd < head.length
      if (!isReadable || !isLeftOut(head.toString('utf8', start + 2, topicEnd), bytes))
        return undefined
      const properties = readLength(head, idEnd)
      const propertiesEnd = properties ? properties.end + properties.value : head.length
      const body =
        propertiesEnd < head.length
          ? [head.subarray(start, propertiesEnd), note]
          : // Longer than those of a call: it cannot be answered.
            [head.subarray(start, idEnd), NO_PROPERTIES, note]
      const bodyBytes = body.reduce((sum, part) => sum + part.length, 0)
      return Buffer.concat([head.subarray(0, 1), lengthBytes(bodyBytes), ...body])
    }
  }
}

/** Undefined: it is not all here. One that is not valid is endless: the library says so. */
function readLength(data: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0
  for (let nth = 0; nth < LENGTH_BYTES_MAX; nth += 1) {
    const byte = data[start + nth]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) << (7 * nth)
    if (byte < 0x80) return { value, end: start + nth + 1 }
  }
  return { value: Number.POSITIVE_INFINITY, end: start }
}

function lengthBytes(length: number): Buffer {
  const bytes: number[] = []
  let rest = length
  do {
    const more = rest > 0x7f ? 0x80 : 0
    bytes.push((rest & 0x7f) | more)
    rest >>= 7
  } while (rest > 0)
  return Buffer.from(bytes)
}
